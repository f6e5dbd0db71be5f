// Takes screenshots of the pages. `tsx scripts/screenshots.ts` updates those in docs/images. With a folder as argument, it
// saves every page there, on a phone and on a desktop, light and dark, in each language, to review changes of the design.
// Install a common font for user interfaces, such as Inter, and make it that of `system-ui` and `sans-serif`.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { showAtOnce, startBrowser } from '../test/support/browser.ts'
import { GALLERY, openGallery } from '../test/support/gallery.ts'
import { LANGUAGES } from '../test/support/languages.ts'
import { takeConsolePictures } from './console-pictures.ts'

const PHONE = { device: 'phone', width: 390, height: 844 }
const DESKTOP = { device: 'desktop', width: 1280, height: 800 }
const SHOWN = [
  'login',
  'login-failed',
  'login-providers',
  'select-account',
  'consent',
  'ask-consent-details',
  'logout',
  'error',
  'account',
  'account-second-step-set-up',
  'account-codes',
  'account-passkeys',
  'recovery-used',
]

const [folder] = process.argv.slice(2)
const pictures =
  folder === undefined
    ? SHOWN.flatMap((page) => [
        { file: join('docs/images', `${page}-phone.png`), page, tag: 'en', ...PHONE, dark: false },
        { file: join('docs/images', `${page}-desktop.png`), page, tag: 'en', ...DESKTOP, dark: true },
      ])
    : Object.keys(GALLERY).flatMap((page) =>
        [PHONE, DESKTOP].flatMap((screen) =>
          [false, true].flatMap((dark) =>
            LANGUAGES.map(({ tag }) => {
              const name = `${page}-${screen.device}-${dark ? 'dark' : 'light'}-${tag}.png`
              return { file: join(folder, name), page, tag, ...screen, dark }
            }),
          ),
        ),
      )

const ends: (() => Promise<void>)[] = []
await mkdir(folder ?? 'docs/images', { recursive: true })
const { address, close } = await openGallery()
const browser = await startBrowser({ teardown: (end) => ends.push(end) })
for (const { file, page: name, tag, ...screen } of pictures) {
  const { context, page } = await browser.welcome(screen)
  await page.goto(`${address}/${name}?stay&ui_locales=${tag}`)
  await showAtOnce(page)
  await page.screenshot({ path: file, fullPage: true })
  await context.close()
  console.log(file)
}
for await (const file of takeConsolePictures(browser, folder ?? 'docs/images')) console.log(file)
for (const end of ends) await end()
await close()
