import t from 'tap'
import { audienceCheck } from '../../../../src/resource-server/verifier.ts'

t.test('an audience is compared as a resource identifier if it is one', async (t) => {
  const isForUs = audienceCheck(['https://api.example.com', 'reports'])
  for (const aud of [
    'https://api.example.com',
    'https://api.example.com/',
    'HTTPS://API.EXAMPLE.COM:443',
    'reports',
    ['x', 'reports'],
  ]) {
    t.equal(isForUs(aud), true, JSON.stringify(aud))
  }
  for (const aud of [
    'https://api.example.com/v1',
    'https://api.example.com.evil.example',
    'http://api.example.com',
    'https://api.example.com#',
    'Reports',
    '',
    [],
    [['reports']],
    undefined,
    null,
    {},
  ]) {
    t.equal(isForUs(aud), false, JSON.stringify(aud))
  }
})
