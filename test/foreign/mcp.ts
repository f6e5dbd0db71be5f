// The example of examples/mcp/, with the MCP SDK of this folder.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import type { Person } from '../support/browser/stage.ts'
import { copyExample } from '../support/example.ts'
import { HERE } from './connected.ts'

const RUN = join(HERE, '.run')

/** Copies the example, and returns the folder. `ports`: those to use instead of others. */
export async function copyMcp(t: Test, ports: Record<number, number> = {}): Promise<string> {
  await mkdir(RUN, { recursive: true })
  return copyExample(t, 'mcp', RUN, ports)
}

/** Presses the button of a tool on the page of the client, and waits for the page that follows. */
export async function press({ page }: Person, client: string, tool: string): Promise<void> {
  if (page.url() === 'about:blank') await page.goto(client)
  await Promise.all([page.waitForNavigation(), page.click(`button[formaction="/call/${tool}"]`)])
}

/** Waits until the page of the client shows the answer of a tool. */
export async function answer({ page }: Person, client: string): Promise<Record<string, unknown>> {
  await page.waitForURL((url) => url.origin === client)
  const text = (await page.textContent('pre')) ?? ''
  try {
    return JSON.parse(text)
  } catch {
    throw new Error(`no answer at ${page.url()}: ${text}`)
  }
}
