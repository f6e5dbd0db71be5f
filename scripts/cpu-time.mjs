// Loaded into each test file by scripts/test.ts: at its end, appends a line with the CPU time that it took, that of the
// processes which it started and which ended included.
import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

const { CPU_TIMES } = process.env
const [, file = ''] = process.argv
if (CPU_TIMES && file.endsWith('.test.ts')) {
  process.on('exit', () => {
    appendFileSync(CPU_TIMES, `${JSON.stringify({ file: relative('.', file), ...cpuTime() })}\n`)
  })
}

/** Returns milliseconds of CPU: own, and of ended children where Linux counts them (proc(5): cutime and cstime). */
function cpuTime() {
  const { user, system } = process.cpuUsage()
  let children = 0
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')
    // In hundredths of a second on every Linux.
    children = (Number(fields[13]) + Number(fields[14])) * 10
  } catch {
    // Not Linux.
  }
  return { own: Math.round((user + system) / 1000), children }
}
