// Loaded into each test file by scripts/run-files.ts. The last line of the file's output says how much CPU time it took,
// that of the processes which it started and which ended included.
import { readFileSync, writeSync } from 'node:fs'

process.on('exit', () => writeSync(1, `# CPU: ${ownTime() + timeOfChildren()} ms\n`))

function ownTime() {
  const { user, system } = process.cpuUsage()
  return Math.round((user + system) / 1000)
}

/** Returns the milliseconds of ended children: 0 where the system does not count them as Linux does (proc(5)). */
function timeOfChildren() {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')
    // cutime and cstime, in hundredths of a second.
    return (Number(fields[13]) + Number(fields[14])) * 10
  } catch {
    return 0
  }
}
