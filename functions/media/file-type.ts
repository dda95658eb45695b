import type { MediaKind } from '../channels/platform.ts';

/** A type of file the service takes. */
export interface FileType {
  readonly mime: string;
  readonly kind: MediaKind;
  /** Of the stored object's name, without a dot. */
  readonly extension: string;
  /** Other names clients and sniffers have for it. */
  readonly aliases: readonly string[];
}

/**
 * All types that are taken; everything else is refused by its content, whatever it claims to be. HEIC is not
 * among them, since the image library's build has no decoder for it; SVG is a program, not a picture.
 */
const FILE_TYPES: readonly FileType[] = [
  { mime: 'image/jpeg', kind: 'image', extension: 'jpg', aliases: ['image/jpg', 'image/pjpeg'] },
  { mime: 'image/png', kind: 'image', extension: 'png', aliases: ['image/apng', 'image/x-png'] },
  { mime: 'image/gif', kind: 'image', extension: 'gif', aliases: [] },
  { mime: 'image/webp', kind: 'image', extension: 'webp', aliases: [] },
  { mime: 'image/avif', kind: 'image', extension: 'avif', aliases: [] },
  { mime: 'video/mp4', kind: 'video', extension: 'mp4', aliases: ['video/x-m4v', 'application/mp4'] },
  { mime: 'video/quicktime', kind: 'video', extension: 'mov', aliases: [] },
  { mime: 'video/webm', kind: 'video', extension: 'webm', aliases: [] },
];

/** What clients are told is taken. */
export const TAKEN_TYPES = FILE_TYPES.map(({ mime }) => mime).join(', ');

/** The type by its media type, parameters and case aside; undefined if it is not taken. */
export function fileTypeOf(mime: string): FileType | undefined {
  const essence = mime.split(';')[0]?.trim().toLowerCase() ?? '';
  return FILE_TYPES.find((type) => type.mime === essence || type.aliases.includes(essence));
}

/** What a client calls a file it knows nothing about. */
export const isUnspecific = (mime: string | undefined): boolean =>
  mime === undefined || mime === '' || mime.toLowerCase().startsWith('application/octet-stream');
