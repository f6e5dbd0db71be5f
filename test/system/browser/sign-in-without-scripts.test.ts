import t from 'tap'
import { signInSuite } from './sign-in-suite.ts'

// A browser may be slow on a busy machine.
t.setTimeout(120_000)
await signInSuite(t, false)
