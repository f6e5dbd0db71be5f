import t from 'tap'
import { browserName } from '../../../../src/sessions/browser-name.ts'

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)'

t.test('a browser is named as its user would name it', async (t) => {
  for (const [header, name] of [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox on Linux'],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36`,
      'Chrome on Windows',
    ],
    [`Mozilla/5.0 (Windows NT 10.0) ${WEBKIT} Chrome/142.0.0.0 Safari/537.36 Edg/142.0`, 'Edge on Windows'],
    [
      `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Chrome/142.0 Safari/537.36 OPR/125`,
      'Opera on macOS',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 CriOS/142 Safari/604.1',
      'Chrome on iPad',
    ],
    [
      `Mozilla/5.0 (Linux; Android 15) ${WEBKIT} SamsungBrowser/28.0 Chrome/130.0 Mobile Safari/537.36`,
      'Samsung Internet on Android',
    ],
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/142.0 Safari/537.36`, 'Chrome on ChromeOS'],
    [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} HeadlessChrome/142.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    ['curl/8.5.0', undefined],
    ['Something on Linux', 'Linux'],
    ['', undefined],
    [undefined, undefined],
  ] as const) {
    t.equal(browserName(header), name, header ?? 'no header')
  }
})

t.test('nothing of the header comes out, and it takes no long text', async (t) => {
  t.equal(browserName('<b>Firefox/1 \n"on" Linux'), 'Firefox on Linux')
  t.equal(browserName(`${'x'.repeat(600)}Firefox/1`), undefined)
  t.ok(Buffer.byteLength(browserName('SamsungBrowser/1 Android') ?? '') <= 64)
})
