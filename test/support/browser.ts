// Debian's Chromium, spoken to by the DevTools protocol over a pipe: what a person sees, measured.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { until } from './until.ts'

/** The part of a tap test that is used here. */
interface Owner {
  teardown(end: () => Promise<void>): unknown
}

type Message = Record<string, unknown>
type Listener = (method: string, params: Message) => void

export interface Screen {
  width: number
  height: number
  /** Device pixels for each CSS pixel, 1 by default. */
  scale?: number
  dark?: boolean
  scripts?: boolean
}

/** One tab. */
export interface Tab {
  /** What the browser complained about since the tab was opened: violations of a policy, errors, failed loads. */
  readonly complaints: readonly string[]
  show(screen: Screen): Promise<void>
  /** Opens an address and waits until its page, or the one that this leads to, is loaded. */
  open(url: string): Promise<void>
  /** The value of a JavaScript expression in the page, where scripts of its own may be off. */
  evaluate<T>(expression: string): Promise<T>
  /** Puts a text where the focus is. */
  type(text: string): Promise<void>
  /** Presses and releases a key. */
  press(key: 'Tab' | 'Enter'): Promise<void>
  /** A picture of the window as PNG. */
  screenshot(): Promise<Buffer>
}

const ARGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--no-first-run',
  '--hide-scrollbars',
  '--remote-debugging-pipe',
]
const KEYS = { Tab: { code: 9, text: '' }, Enter: { code: 13, text: '\r' } }

/** Starts a browser, CHROMIUM where that is set, with a profile of its own; both are gone with the test. */
export async function startBrowser(t: Owner): Promise<{ newTab(): Promise<Tab> }> {
  const profile = await mkdtemp(join(tmpdir(), 'redmint-browser-'))
  // The pipe is its life line: it ends when the test process does, however that ends.
  const browser = spawn(
    process.env.CHROMIUM || 'chromium',
    [...ARGS, `--user-data-dir=${profile}`, 'about:blank'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    },
  )
  const ended = once(browser, 'exit')
  const connection = connect(browser)
  t.teardown(async () => {
    browser.kill('SIGKILL')
    await ended
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  })
  await Promise.race([
    connection.send('Browser.getVersion'),
    ended.then(([code]) => Promise.reject(new Error(`chromium ended at once with ${code}`))),
  ])
  return { newTab: () => openTab(connection) }
}

async function openTab(connection: ReturnType<typeof connect>): Promise<Tab> {
  const { targetId } = await connection.send('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await connection.send('Target.attachToTarget', { targetId, flatten: true })
  const call = (method: string, params: Message = {}) => connection.send(method, params, String(sessionId))
  const complaints: string[] = []
  let loaded = false
  connection.listen(String(sessionId), (method, params) => {
    if (method === 'Log.entryAdded') complaints.push(String((params.entry as Message).text))
    if (method === 'Page.lifecycleEvent' && params.name === 'load') loaded = true
  })
  await call('Page.enable')
  await call('Page.setLifecycleEventsEnabled', { enabled: true })
  await call('Log.enable')
  const evaluate = async <T>(expression: string) => {
    const { result, exceptionDetails } = await call('Runtime.evaluate', { expression, returnByValue: true })
    if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`)
    return (result as { value: T }).value
  }
  return {
    complaints,
    evaluate,
    async show({ width, height, scale = 1, dark = false, scripts = true }) {
      const mobile = width < 600
      await call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile })
      const features = [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }]
      await call('Emulation.setEmulatedMedia', { features })
      await call('Emulation.setScriptExecutionDisabled', { value: !scripts })
    },
    async open(url) {
      loaded = false
      const { errorText } = await call('Page.navigate', { url })
      if (errorText) throw new Error(`${url}: ${errorText}`)
      await until(`${url} is loaded`, () => loaded)
    },
    async type(text) {
      await call('Input.insertText', { text })
    },
    async press(key) {
      const { code, text } = KEYS[key]
      const event = { key, code: key, windowsVirtualKeyCode: code, text }
      await call('Input.dispatchKeyEvent', { type: 'keyDown', ...event })
      await call('Input.dispatchKeyEvent', { type: 'keyUp', ...event })
    },
    async screenshot() {
      const { data } = await call('Page.captureScreenshot', { format: 'png', optimizeForSpeed: false })
      return Buffer.from(String(data), 'base64')
    },
  }
}

/** The protocol: JSON texts, each ended by a zero byte, on the third and fourth pipe of the process. */
function connect(browser: ChildProcess) {
  const [, , , input, output] = browser.stdio as unknown as [null, null, null, Writable, Readable]
  const waiting = new Map<number, { resolve(result: Message): void; reject(error: Error): void }>()
  const listeners = new Map<string, Listener>()
  let count = 0
  let rest = ''
  input.on('error', () => {})
  output.setEncoding('utf8').on('data', (chunk: string) => {
    const texts = (rest + chunk).split('\0')
    rest = texts.pop() ?? ''
    for (const text of texts) receive(JSON.parse(text))
  })
  output.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the browser is gone'))
  })

  function receive({ id, result, error, method, params, sessionId }: Message) {
    if (id === undefined) return listeners.get(String(sessionId))?.(String(method), params as Message)
    const answer = waiting.get(Number(id))
    waiting.delete(Number(id))
    if (error) answer?.reject(new Error(JSON.stringify(error)))
    else answer?.resolve(result as Message)
  }

  return {
    listen: (session: string, listener: Listener) => listeners.set(session, listener),
    send(method: string, params: Message = {}, sessionId?: string): Promise<Message> {
      const id = ++count
      input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
    },
  }
}
