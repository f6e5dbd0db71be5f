// Suite: proofs
import t from 'tap'
import { signInSuite } from './sign-in-suite.ts'

await signInSuite(t, true)
