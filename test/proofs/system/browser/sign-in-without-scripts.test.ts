import t from 'tap'
import { signInSuite } from '../../../support/browser/sign-in-suite.ts'

await signInSuite(t, false)
