import { each, siege, words } from '../../../support/hostile/siege.ts'
import { withOtherCharacter } from '../../../support/other-character.ts'

siege('only a Bearer header with a single token is accepted', async (t, service) => {
  const { access_token, refresh_token } = await service.tokens()
  const code = await service.code()
  service.writes.length = 0
  service.secrets.push(code)
  const call = (authorization: string) => service.send({ url: '/api/resource', headers: { authorization } })
  // In this table `~` is a space and `$` the token.
  const table = words(`
    ~ Bearer Bearer~ bearer $ ~$ Bearer$ Bearer:$ Bearer=$ Bearer~"$" Bearer~$, Bearer~$,~Bearer~x Bearer~x~$
    Bearer~$~x Bearer~$= Bearer~$. Bearer~.$ Bearer~$.x Bearer~$A Bearer~$%20 Bearer~$~$
    Bearer~access_token=$ Basic~$ DPoP~$ Token~$ MAC~$ Digest~$ Bearers~$ ,Bearer~$ Basic~x,~Bearer~$
    Bearer~null Bearer~undefined Bearer~__proto__ Bearer~* Bearer~. Bearer~.. Bearer~... Bearer~....
    Bearer~[object~Object] Bearer~{} Bearer~${code} Bearer~${refresh_token}
    Bearer~${access_token.toUpperCase()} Bearer~${access_token.slice(0, -1)}`)
  const schemes = [
    ...table.map((row) => row.replaceAll('~', ' ').replaceAll('$', access_token)),
    ...[
      '',
      `Bearer\t${access_token}`,
      `Bearer ${access_token}\0`,
      `Bearer \u00a0x${access_token}`,
      `Bеarer ${access_token}`,
    ],
  ]
  for (const path of ['/api/resource', '/userinfo']) {
    await each(t, path, schemes, async (authorization) => {
      const { status, headers, body } = await service.send({ url: path, headers: { authorization } })
      const scheme = authorization.startsWith('DPoP ') ? 'DPoP' : 'Bearer'
      const challenged = String(headers['www-authenticate']).startsWith(`${scheme} realm="redmint"`)
      return status === 401 && challenged && !body.includes(access_token) ? [] : [`${status} ${body}`]
    })
  }
  for (const scheme of ['Bearer ', 'bearer ', 'BEARER ', 'Bearer   ']) {
    t.equal((await call(`${scheme}${access_token} `)).status, 200, scheme)
  }
})

siege('a token with any change is refused', async (t, service) => {
  const { access_token } = await service.tokens()
  const [grant = '', secret = ''] = access_token.split('.')
  const near = [...access_token].map((_, at) => withOtherCharacter(access_token, at))
  const others = words(`
    ${secret}.${grant} ${grant} ${secret} ${grant}. .${secret} ${grant}..${secret} ${grant}${secret}
    ${grant}%2e${secret} {${grant}}.${secret} redmint:token:{${grant}}.${secret} token:${access_token}
    ${access_token}* ${grant}.* ${grant}.${'?'.repeat(43)} ${grant}.${secret.toLowerCase()}
    ${grant}.${secret}${secret} ${'A'.repeat(16)}.${'A'.repeat(43)} ${'x'.repeat(10_000)}
    ${'.'.repeat(10_000)} ${'x.'.repeat(5000)}`)
  await each(t, 'near and far', [...near, ...others], async (token) => {
    const { status } = await service.send({
      url: '/api/resource',
      headers: { authorization: `Bearer ${token}` },
    })
    return status === 401 ? [] : [`status ${status}`]
  })
})
