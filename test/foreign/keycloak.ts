// A real Keycloak, which the group `keycloak` unpacks.
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import { freePort, run } from '../support/process.ts'
import { until } from '../support/until.ts'
import { HERE } from './connected.ts'

export const PROGRAM_MS = 600_000
export const PASSWORD = 'correct horse battery'
const folder = join(HERE, 'node_modules/.keycloak')
const [home = ''] = (await readdir(folder)).filter((name) => name.startsWith('keycloak-'))
export const KC = join(folder, home, 'bin/kc.sh')
/** The same for each of its commands, so that it is built once. */
export const ENVIRONMENT = {
  KC_DB: 'dev-file',
  KC_CACHE: 'local',
  KC_FEATURES: 'ssf',
  JAVA_OPTS_KC_HEAP: '-Xms64m -Xmx512m',
}
const ADMIN = { KC_BOOTSTRAP_ADMIN_USERNAME: 'admin', KC_BOOTSTRAP_ADMIN_PASSWORD: 'admin' }

/** Somebody of a realm. */
export const person = (username: string, more: object = {}) => ({
  username,
  enabled: true,
  email: `${username}@example.com`,
  firstName: username,
  lastName: 'Example',
  credentials: [{ type: 'password', value: PASSWORD }],
  ...more,
})

/** Starts a Keycloak that has nothing yet. @param more flags */
export async function startKeycloak(t: Test, more: readonly string[] = ['--hostname-strict=false']) {
  await rm(join(folder, home, 'data/h2'), { recursive: true, force: true })
  const [port, management] = [await freePort(), await freePort()]
  const flags = ['--http-enabled=true', '--http-host=127.0.0.1', ...more]
  const ports = [`--http-port=${port}`, `--http-management-port=${management}`]
  const keycloak = run(t, KC, ['start', ...flags, ...ports], { ...ENVIRONMENT, ...ADMIN })
  let over = false
  keycloak.ended.then(() => {
    over = true
  })
  const base = `http://127.0.0.1:${port}`
  const tokenOf = async (realm: string, form: Record<string, string>) => {
    const body = new URLSearchParams({ grant_type: 'password', ...form })
    const url = `${base}/realms/${realm}/protocol/openid-connect/token`
    const answer = await fetch(url, { method: 'POST', body })
    return (await answer.json()) as { access_token?: string; id_token?: string }
  }
  const admin = () =>
    tokenOf('master', { client_id: 'admin-cli', username: 'admin', password: 'admin' }).catch(() => ({}))
  const isUp = async () => {
    if (over) throw new Error(`Keycloak ended:\n${keycloak.stdout}${keycloak.stderr}`)
    return 'access_token' in (await admin())
  }
  await until('Keycloak answers', isUp, 1000, PROGRAM_MS)
  const api = async (method: string, path: string, body?: object): Promise<unknown> => {
    // Its tokens live for a minute.
    const { access_token } = (await admin()) as { access_token?: string }
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    const sent = body && { body: JSON.stringify(body) }
    const answer = await fetch(`${base}/admin/realms${path}`, { method, headers, ...sent })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
    return text === '' ? undefined : JSON.parse(text)
  }
  return { ...keycloak, base, tokenOf, api }
}
