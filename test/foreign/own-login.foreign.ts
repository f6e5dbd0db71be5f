// The application of examples/own-login/ in Python, with its standard library alone.
import t from 'tap'
import { ownLoginSuite } from '../support/flows/own-login.ts'

t.test('an application in Python', (t) => ownLoginSuite(t, 'python3', ['application.py']))
