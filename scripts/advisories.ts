// What is known about the packages of redmint and about Node, and whether it is open for too long: `npm run advisories`.
import { spawnSync } from 'node:child_process'
import { type NodeRelease, openAdvisory, openFloors, overdue, readAudit } from './open-advisories.ts'

async function getJson(url: string, headers: Record<string, string> = {}): Promise<unknown> {
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(30_000) })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  return answer.json()
}

const { GITHUB_TOKEN } = process.env
const headers = {
  accept: 'application/vnd.github+json',
  ...(GITHUB_TOKEN && { authorization: `Bearer ${GITHUB_TOKEN}` }),
}
const { stdout } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8', maxBuffer: 1e8 })
const open = openFloors((await getJson('https://nodejs.org/dist/index.json')) as NodeRelease[])
for (const advisory of readAudit(stdout)) {
  // The audit itself has no date.
  const found = await getJson(`https://api.github.com/advisories/${advisory.id}`, headers)
  open.push(openAdvisory(advisory, String((found as { published_at?: string }).published_at)))
}
const late = overdue(open, new Date())
for (const one of open) console.log(`${late.includes(one) ? 'too long' : 'open'}: ${one.line}`)
console.log(`${open.length} open, ${late.length} for more than three days`)
if (late.length > 0) process.exitCode = 1
