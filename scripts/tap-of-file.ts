// What compiled test files get for `tap`: a test of their own, so that a process can run several of them in turn.
import tap, { type Test } from 'tap'

let current: Test = tap

export { current as default }

/** Lets what is imported from now on add its tests to a test. */
export function addTestsTo(test: Test): void {
  current = test
}
