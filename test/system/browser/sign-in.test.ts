import t from 'tap'
import { signInSuite } from './sign-in-suite.ts'

// A browser takes its time on a busy machine.
t.setTimeout(120_000)
await signInSuite(t, true)
