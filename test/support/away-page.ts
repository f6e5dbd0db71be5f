// What a delivered proxy answers by itself if no replica does.
import { createHash } from 'node:crypto'
import type { Test } from 'tap'

/** The heading by what a browser asks for: the nine languages of pages, and one that there is not. */
const HEADINGS = {
  'en-GB,en;q=0.9': ['en', 'The service cannot be reached'],
  'de-AT,de;q=0.9,en;q=0.8': ['de', 'Der Dienst ist nicht erreichbar'],
  'fr,en;q=0.5': ['fr', 'Le service est injoignable'],
  es: ['es', 'No se puede acceder al servicio'],
  'it-IT': ['it', 'Il servizio non è raggiungibile'],
  'pt-BR,pt;q=0.9': ['pt', 'Não foi possível acessar o serviço'],
  'ja-JP': ['ja', 'サービスに接続できません'],
  'zh-CN,zh;q=0.9': ['zh', '无法连接到服务'],
  ar: ['ar', 'تعذّر الوصول إلى الخدمة'],
  nl: ['en', 'The service cannot be reached'],
} as const

/**
 * Asks for a page as browsers of each language do, and as a program.
 * @returns the id that the last page shows
 */
export async function assertAwayPages(t: Test, address: string): Promise<string> {
  let id = ''
  for (const [language, [lang, heading]] of Object.entries(HEADINGS)) {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    const response = await fetch(`${address}/account`, { headers: { accept, 'accept-language': language } })
    t.equal(response.status, 503, language)
    t.match(Object.fromEntries(response.headers), {
      'content-type': 'text/html; charset=utf-8',
      'retry-after': '1',
      'cache-control': 'no-store',
      'balancer-error': undefined,
    })
    const text = await response.text()
    t.match(text, `<html lang=${lang}>`)
    t.match(text, `<title>${heading}</title>`)
    t.match(text, new RegExp(`<h1>${heading}</h1><p>[^<|]{20,}</p>`))
    t.match(text, /<main dir=auto>/)
    id = /<small>[^<|]+ <bdi>([\w-]{32,36})<\/bdi>/.exec(text)?.[1] ?? 'none'
    t.equal(response.headers.get('x-request-id'), id)
    const digest = createHash('sha256')
      .update(/<style>(.*)<\/style>/.exec(text)?.[1] ?? '')
      .digest('base64')
    const policy = `default-src 'none'; style-src 'sha256-${digest}'`
    t.equal(response.headers.get('content-security-policy'), policy, 'the browser takes its style')
  }
  for (const accept of ['*/*', 'application/json']) {
    const program = await fetch(`${address}/oauth2/token`, {
      method: 'POST',
      body: 'a=b',
      headers: { accept },
    })
    t.equal(program.status, 503)
    t.match(program.headers.get('content-type'), /^application\/json/)
    t.equal(program.headers.get('retry-after'), '1')
    t.match(await program.json(), { error: 'temporarily_unavailable' })
  }
  return id
}
