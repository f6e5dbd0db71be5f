// To make a format of Intl reads megabytes of data about languages, which a process then keeps.
import t from 'tap'

t.test('a server of all rooms starts without a format of Intl', async (t) => {
  const made: string[] = []
  for (const name of ['DateTimeFormat', 'NumberFormat', 'PluralRules', 'RelativeTimeFormat'] as const) {
    const construct = (format: typeof Intl.DateTimeFormat, args: []) => {
      made.push(name)
      return new format(...args)
    }
    Object.assign(Intl, { [name]: new Proxy(Intl[name] as typeof Intl.DateTimeFormat, { construct }) })
  }
  const { startRedmint } = await import('../../../dev/start.ts')
  const redmint = await startRedmint()
  t.teardown(() => redmint.close())
  await (await fetch(`${redmint.issuer}/.well-known/openid-configuration`)).json()
  t.strictSame(made, [])
})
