// What a camera reads from the page of a browser: an independent decoder gets its pixels.
import jsqr from 'jsqr'
import type { Page } from 'playwright-core'

interface Picture {
  readonly width: number
  readonly height: number
  /** Red, green, blue and alpha of each pixel, row by row: a byte each, in base64. */
  readonly pixels: string
}

/** For a page: decodes a picture in base64. */
const DECODE = `async (base64) => {
  const image = new Image()
  image.src = 'data:image/png;base64,' + base64
  await image.decode()
  const { naturalWidth: width, naturalHeight: height } = image
  const canvas = new OffscreenCanvas(width, height).getContext('2d')
  canvas.drawImage(image, 0, 0)
  let pixels = ''
  const { data } = canvas.getImageData(0, 0, width, height)
  for (let i = 0; i < data.length; i += 8192) pixels += String.fromCharCode(...data.subarray(i, i + 8192))
  return { width, height, pixels: btoa(pixels) }
}`

/**
 * Returns the text of the QR code of a page; undefined if it cannot be read. The camera is held so near that it fills the
 * picture: of one code in fifty the decoder makes nothing where a dark page surrounds it.
 */
export async function readQrCode(page: Page): Promise<string | undefined> {
  const shown = (await page.locator('svg.qr').screenshot()).toString('base64')
  // Chromium decodes its own picture, in a tab without the policy of the page.
  const tab = await page.context().newPage()
  const { width, height, pixels } = await tab.evaluate<Picture>(`(${DECODE})('${shown}')`)
  await tab.close()
  // Many readers know only dark on light.
  const options = { inversionAttempts: 'dontInvert' } as const
  return jsqr.default(Uint8ClampedArray.from(Buffer.from(pixels, 'base64')), width, height, options)?.data
}
