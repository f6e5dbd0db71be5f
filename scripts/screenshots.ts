// Takes the pictures of docs/images: every page on a phone and on a desktop, light and dark. `tsx scripts/screenshots.ts
// [folder] [page …]` puts them elsewhere or takes those of some pages only.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startBrowser } from '../test/support/browser.ts'
import { GALLERY, openGallery } from '../test/support/gallery.ts'

const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1280, height: 800 }
const [folder = 'docs/images', ...names] = process.argv.slice(2)

const ends: (() => Promise<void>)[] = []
await mkdir(folder, { recursive: true })
const { address, close } = await openGallery()
const browser = await startBrowser({ teardown: (end) => ends.push(end) })
const tab = await browser.newTab()
for (const name of names.length > 0 ? names : Object.keys(GALLERY)) {
  for (const [screen, size] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
    for (const scheme of ['light', 'dark']) {
      await tab.show({ ...size, dark: scheme === 'dark' })
      await tab.open(`${address}/${name}?stay&ui_locales=en`)
      const file = join(folder, `${name}-${screen}-${scheme}.png`)
      await writeFile(file, await tab.screenshot())
      console.log(file)
    }
  }
}
for (const end of ends) await end()
await close()
