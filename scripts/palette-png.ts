import { crc32, deflateSync, inflateSync } from 'node:zlib'

/** PNG §5.2. */
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const MAX_COLOURS = 256
/** Bytes of a pixel, by the colour type of the header: what browsers write. */
const BYTES: Readonly<Record<number, number>> = { 2: 3, 6: 4 }

/**
 * Returns a picture of a page with a palette of at most 256 colours: a third of its size. Pages have few colours; the rarest
 * shades of their letters become the nearest ones.
 * @param png as a browser writes it: 8 bits, true colour, not interlaced, and opaque
 * @throws Error if it is another one
 */
export function withPalette(png: Buffer): Buffer {
  const chunks = chunksOf(png)
  const header = chunks.find(({ type }) => type === 'IHDR')?.data ?? Buffer.alloc(13)
  const [width, height, bytes] = [header.readUInt32BE(0), header.readUInt32BE(4), BYTES[header[9] ?? 0]]
  if (header[8] !== 8 || bytes === undefined || header[12] !== 0) throw new Error('not a PNG of a browser')
  const packed = chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)
  const pixels = pixelsOf(inflateSync(Buffer.concat(packed)), { width, height, bytes })

  const { palette, nearest } = paletteOf(pixels)
  const rows = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = nearest(pixels[y * width + x] ?? 0)
  const indexed = Buffer.from(header)
  indexed[9] = 3
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', indexed),
    chunk(
      'PLTE',
      Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255])),
    ),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunksOf(png: Buffer): { type: string; data: Buffer }[] {
  const found = []
  for (let at = SIGNATURE.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    found.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) })
    at += length + 12
  }
  return found
}

interface Raster {
  readonly width: number
  readonly height: number
  readonly bytes: number
}

/** The colours of all pixels, row by row: the filters of rows are undone (PNG §9.2). */
function pixelsOf(rows: Buffer, { width, height, bytes }: Raster): Uint32Array {
  const length = width * bytes
  const pixels = new Uint32Array(width * height)
  let above = Buffer.alloc(length)
  for (let y = 0; y < height; y++) {
    const start = y * (length + 1)
    const row = Buffer.from(rows.subarray(start + 1, start + 1 + length))
    const predict = PREDICTIONS[rows[start] ?? 0] ?? none
    for (let i = 0; i < length; i++)
      row[i] = (row[i] ?? 0) + predict(row[i - bytes] ?? 0, above[i] ?? 0, above[i - bytes] ?? 0)
    for (let x = 0; x < width; x++) pixels[y * width + x] = row.readUIntBE(x * bytes, 3)
    above = row
  }
  return pixels
}

const none = () => 0

/** What the filter of a row predicts of a byte, by its number: from the ones at its left, above it, and above that one. */
const PREDICTIONS: readonly ((left: number, up: number, corner: number) => number)[] = [
  none,
  (left) => left,
  (_, up) => up,
  (left, up) => (left + up) >> 1,
  paeth,
]

function paeth(left: number, up: number, corner: number): number {
  const distance = (value: number) => Math.abs(left + up - corner - value)
  if (distance(left) <= distance(up) && distance(left) <= distance(corner)) return left
  return distance(up) <= distance(corner) ? up : corner
}

/** The most frequent colours, and which of them is the nearest to a colour. */
function paletteOf(pixels: Uint32Array) {
  const counts = new Map<number, number>()
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const by_count = [...counts].sort(([a, count_of_a], [b, count_of_b]) => count_of_b - count_of_a || a - b)
  const palette = by_count.slice(0, MAX_COLOURS).map(([colour]) => colour)
  const known = new Map(palette.map((colour, index) => [colour, index]))
  const nearest = (colour: number): number => {
    const index = known.get(colour) ?? indexOfNearest(palette, colour)
    known.set(colour, index)
    return index
  }
  return { palette, nearest }
}

function indexOfNearest(palette: readonly number[], colour: number): number {
  const distances = palette.map((one) => {
    const parts = [16, 8, 0].map((shift) => ((one >> shift) & 255) - ((colour >> shift) & 255))
    return parts.reduce((sum, part) => sum + part * part, 0)
  })
  return distances.indexOf(Math.min(...distances))
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
