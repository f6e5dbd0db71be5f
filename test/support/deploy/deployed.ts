// What the files of deploy/ are checked against: the image, the configuration, the balancer.
import { readText } from '../markdown.ts'
import { readDockerfile } from './dockerfile.ts'

/** The environment variables that the image sets. */
export async function imageEnvironment(): Promise<Record<string, string>> {
  const image = (await readDockerfile()).at(-1)
  const set =
    image?.instructions.filter(({ name }) => name === 'ENV').flatMap(({ rest }) => rest.split(' ')) ?? []
  return Object.fromEntries(set.map((assignment) => assignment.split('=')))
}

/** Seconds until HAProxy has certainly noticed that a replica is not ready: two checks, the first just missed. */
export async function noticeSeconds(): Promise<number> {
  const text = await readText('deploy/haproxy.cfg')
  const [, inter, fastinter, fall] = / inter (\d+)s fastinter (\d+)ms .* fall (\d+) /.exec(text) ?? []
  const [, timeout] = /timeout check (\d+)s/.exec(text) ?? []
  return Number(inter) + (Number(fall) - 1) * (Number(fastinter) / 1000) + Number(fall) * Number(timeout)
}
