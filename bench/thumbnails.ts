import sharp from 'sharp';
import { imageThumbnails } from '../functions/media/images.ts';

const TURNS = 15;

/** Three thumbnails of a photograph of 12 megapixels, against one plain resize to 1600 pixels. */
export async function thumbnails(): Promise<Readonly<Record<string, object>>> {
  const photo = await photograph();
  const plain = () =>
    sharp(photo).autoOrient().resize(1600, 1600, { fit: 'inside' }).jpeg({ quality: 80 }).toBuffer();
  const took: Record<'plain' | 'three', number[]> = { plain: [], three: [] };
  for (let turn = 0; turn < TURNS; turn += 1) {
    took.plain.push(await timed(plain));
    took.three.push(await timed(() => imageThumbnails(photo)));
  }
  const [plainMs, threeMs] = [median(took.plain), median(took.three)];
  return {
    'three thumbnails': { median_ms: Math.round(threeMs), ratio: Number((threeMs / plainMs).toFixed(2)) },
    'one resize': { median_ms: Math.round(plainMs), ratio: 1 },
  };
}

/** Noise, softened: as hard to encode as a photograph. */
function photograph(): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  return sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#808080', noise } })
    .blur(2)
    .jpeg({ quality: 90 })
    .toBuffer();
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return performance.now() - startedAt;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
