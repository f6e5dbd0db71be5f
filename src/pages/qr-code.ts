import { type Html, html } from './html.ts'

/** The modules of a QR code with the quiet zone around them, row by row; true is dark. */
export type QrModules = readonly (readonly boolean[])[]

/** How a code is encoded: with the light modules that a reader needs around it (ISO/IEC 18004 §6.3.8). */
export const QR_OPTIONS = { border: 4 }

/** Returns the QR code of a text. It loads the encoder, which only a page with such a picture needs. */
export async function qrModules(text: string): Promise<QrModules> {
  const { encode } = await import('uqr')
  return encode(text, QR_OPTIONS).data
}

/** The picture of a QR code: dark on light in every theme, because readers expect that. `label` says what it is. */
export function qrPicture(modules: QrModules, label: Html): Html {
  const size = String(modules.length)
  // Each run of dark modules is a line through their middle.
  const runs = modules.flatMap((row, y) =>
    [
      ...row
        .map((is_dark) => (is_dark ? '#' : ' '))
        .join('')
        .matchAll(/#+/g),
    ].map(({ index, 0: run }) => `M${index} ${y}h${run.length}`),
  )
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 -.5 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0-.5h${size}v${size}H0z"/><path stroke="#000" d="${runs.join('')}"/></svg>`
}
