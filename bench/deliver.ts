// What a measurement in a process of its own found: to the run that started it, or to the terminal.
import { type Table, tableText } from './table.ts'

/** Hands tables over. */
export function deliver(tables: readonly Table[]): void {
  if (process.send) process.send(tables)
  else for (const table of tables) console.log(`\n${tableText(table)}`)
}
