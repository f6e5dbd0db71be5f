// Runs the compiled form of the test files that TEST_FILES names, one after the other in one process. They are no arguments:
// tap makes the names of folders from these.
// The last lines of the output say how much CPU time each took, that of the processes which it started and which ended
// included.
import { readFileSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'
import tap from 'tap'
import { compiled } from './compiled.ts'
import { addTestsTo } from './tap-of-file.ts'

const { COMPILED_TO = '', TEST_FILES = '' } = process.env
const lines: string[] = []
process.on('exit', () => writeSync(1, lines.join('')))

let before = 0
for (const file of TEST_FILES.split(' ')) {
  tap.test(file, async (t) => {
    // Handlers run in reverse order, so this one is the last of the file.
    t.teardown(() => {
      const now = cpuTime()
      lines.push(`# CPU: ${now - before} ms ${file}\n`)
      before = now
    })
    addTestsTo(t)
    await import(resolve(COMPILED_TO, compiled(file)))
  })
}

/** Returns milliseconds; of children it counts none where the system does not count them as Linux does (proc(5)). */
function cpuTime(): number {
  const { user, system } = process.cpuUsage()
  const own = Math.round((user + system) / 1000)
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ')
    // cutime and cstime, in hundredths of a second.
    return own + (Number(fields?.[13]) + Number(fields?.[14])) * 10
  } catch {
    return own
  }
}
