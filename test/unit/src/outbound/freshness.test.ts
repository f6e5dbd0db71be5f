import t from 'tap'
import { freshnessOf } from '../../../../src/outbound/freshness.ts'

const BOUNDS = { min_fresh: 60, max_fresh: 3600, default_fresh: 300 }
const NOW = Date.parse('2026-11-22T12:00:00Z')
const at = (seconds: number) => new Date(NOW + seconds * 1000).toUTCString()

t.test('the headers of the host count, within the bounds', async (t) => {
  const rows = [
    [{}, 300],
    [{ 'cache-control': 'max-age=600' }, 600],
    [{ 'cache-control': 'public, MAX-AGE="600"' }, 600],
    [{ 'cache-control': 'max-age=600', age: '100' }, 500],
    [{ 'cache-control': 'max-age=600', age: 'x' }, 600],
    [{ 'cache-control': 'max-age=600, s-maxage=900' }, 900],
    [{ 'cache-control': 'max-age=99999999' }, 3600],
    [{ 'cache-control': 'max-age=99999999999999999999' }, 300],
    [{ 'cache-control': 'max-age=-1' }, 300],
    [{ 'cache-control': 'max-age=0' }, 60],
    [{ 'cache-control': 'no-store, max-age=600' }, 60],
    [{ 'cache-control': 'no-cache' }, 60],
    [{ expires: at(900) }, 900],
    [{ expires: at(900), date: at(-100) }, 1000],
    [{ expires: at(900), 'cache-control': 'max-age=600' }, 600],
    [{ expires: '0' }, 60],
    [{ expires: at(-900) }, 60],
  ] as const
  for (const [headers, seconds] of rows) {
    t.equal(freshnessOf(headers, BOUNDS, NOW), seconds, JSON.stringify(headers))
  }
})
