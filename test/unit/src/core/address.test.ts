import t from 'tap'
import { addressIn } from '../../../../src/core/address.ts'

t.test('an address is read without its port, brackets and zone', async (t) => {
  const rows: [entry: string, address: string][] = [
    ['198.51.100.7', '198.51.100.7'],
    ['198.51.100.7:5000', '198.51.100.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    // Without brackets, the last group of an IPv6 address is no port.
    ['2001:db8::1:443', '2001:db8::1:443'],
    ['::ffff:198.51.100.7', '::ffff:198.51.100.7'],
    ['[::ffff:198.51.100.7]:80', '::ffff:198.51.100.7'],
    ['fe80::1%eth0', 'fe80::1'],
    ['[fe80::1%25eth0]:80', 'fe80::1'],
  ]
  for (const [entry, address] of rows) t.equal(addressIn(entry), address, entry)
})

t.test('any other text is not an address', async (t) => {
  const entries = [
    '',
    ' ',
    'unknown',
    '_hidden',
    'localhost',
    'localhost:80',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
  ]
  entries.push('01.2.3.4', '0x7f.0.0.1', '1.2.3.4:', '1.2.3.4:port', '1.2.3.4:123456', '1.2.3.4:1:2', ':80')
  entries.push(
    '[]',
    '[]:80',
    '[2001:db8::1',
    '2001:db8::1]',
    '[2001:db8::1]443',
    '[[::1]]',
    '[::1]:',
    '"[::1]:80"',
  )
  entries.push('1.2.3.4, 5.6.7.8', '1.2.3.4 ', '1.2.3.4/32', '1.2.3.4%a:5', '%', ':::')
  for (const entry of entries) t.equal(addressIn(entry), undefined, entry)
})
