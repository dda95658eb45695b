import sharp from 'sharp';

const WIDTH = 320;

/** An uploaded picture as a small data URL, for the page of what was published; undefined for what is none. */
export async function smallPicture(bytes: Buffer): Promise<string | undefined> {
  try {
    const jpeg = await sharp(bytes)
      .resize({ width: WIDTH, withoutEnlargement: true })
      .jpeg({ quality: 70 })
      .toBuffer();
    return `data:image/jpeg;base64,${jpeg.toString('base64')}`;
  } catch (error) {
    // sharp throws plain errors for whatever it cannot decode.
    if (error instanceof Error) return undefined;
    throw error;
  }
}
