// What the files of deploy/ are checked against: the image, the configuration, the balancer.
import { readText } from '../markdown.ts'

/** The environment variables that the image sets. */
export async function imageEnvironment(): Promise<Record<string, string>> {
  const [, assignments = ''] = /^ENV (.*)$/m.exec(await readText('Dockerfile')) ?? []
  return Object.fromEntries(assignments.split(' ').map((assignment) => assignment.split('=')))
}

/** Seconds until HAProxy has certainly noticed that a replica is not ready: two checks, the first just missed. */
export async function noticeSeconds(): Promise<number> {
  const text = await readText('deploy/haproxy.cfg')
  const [, inter, fastinter, fall] = / inter (\d+)s fastinter (\d+)ms .* fall (\d+) /.exec(text) ?? []
  const [, timeout] = /timeout check (\d+)s/.exec(text) ?? []
  return Number(inter) + (Number(fall) - 1) * (Number(fastinter) / 1000) + Number(fall) * Number(timeout)
}
