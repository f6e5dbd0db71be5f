// docs/production.md, step by step. Its application is what openid-client makes of the printed settings;
// test/foreign/production.foreign.ts makes the one of the page.
import t from 'tap'
import { followProductionPage, useShop } from '../../support/production-page.ts'

t.setTimeout(300_000)
/** The application says that it is at this address. */
const APP = 'https://shop.example.com'

t.test('from an empty machine to an invited person who signs in at an application', (t) =>
  followProductionPage(t, APP, (shop) => useShop(t, APP, shop)),
)
