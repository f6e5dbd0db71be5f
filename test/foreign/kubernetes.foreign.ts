// The printed settings for Kubernetes and Argo CD, read by the code of Kubernetes; no cluster runs.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { startRedis } from '../support/redis-server.ts'
import { connect } from './connected.ts'

t.setTimeout(300_000)
// The API server accepts https only.
const stage = { redis: await startRedis(t), issuer: 'https://auth.example.com' }
const environment = { HOME: process.env.HOME ?? '' }

t.test('the API server and kubectl accept the settings for Kubernetes', async (t) => {
  const app = await connect(t, stage, 'kubernetes')
  await app.copy('kubernetes', '.')
  await app.run('go', ['build', '-o', 'read', '.'], environment)
  // That of the cluster.
  await writeFile(join(app.folder, 'ca.crt'), '')
  const files = ['the file of kube-apiserver --authentication-config', '~/.kube/config']
  t.equal(await app.run('./read', files), `redmint ${stage.issuer}\n`)
})

t.test('the settings for Argo CD fit into its ConfigMap and its Secret', async (t) => {
  const app = await connect(t, stage, 'argocd')
  const patched = async (kind: string, name: string) => {
    const base = { apiVersion: 'v1', kind, metadata: { name } }
    await writeFile(join(app.folder, 'base.json'), JSON.stringify(base))
    const patch = ['--type', 'merge', '--patch-file', `the ${kind} ${name}`, '-o', 'json']
    return JSON.parse(
      await app.run('kubectl', ['patch', '--local', '-f', 'base.json', ...patch], environment),
    )
  }
  const { data } = await patched('ConfigMap', 'argocd-cm')
  t.equal(data.url, app.origin)
  const { clientSecret, ...config } = parse(data['oidc.config'])
  t.same(config, {
    name: 'redmint',
    issuer: stage.issuer,
    clientID: app.client_id,
    requestedScopes: ['openid', 'profile', 'email'],
  })
  const { stringData } = await patched('Secret', 'argocd-secret')
  t.equal(stringData[clientSecret.slice(1)], app.client_secret, 'it names the secret after a $')
})
