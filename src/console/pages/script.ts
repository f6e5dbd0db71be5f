/** How often a page that is followed live is asked for again, in milliseconds: twenty consoles ask twice a second. */
export const FOLLOW_EVERY = 10_000

/**
 * The script of the console, a file of its own: keys, copying, following and finding while somebody types. Every page works
 * without it. It writes what it gets as text, or as elements of this console without their scripts.
 */
export const CONSOLE_SCRIPT = `(() => {
'use strict'
const all = (selector, within = document) => [...within.querySelectorAll(selector)]
const isField = (element) => element instanceof Element && element.matches('input,select,textarea')
const search = document.querySelector('form[role=search]')
const box = search && search.elements.namedItem('q')
const make = (name, properties) => Object.assign(document.createElement(name), properties)
// A page of the console; undefined: it is not to be had, such as after the session ended.
const read = async (address, options = {}) => {
  const answer = await fetch(address, { ...options, credentials: 'same-origin', redirect: 'follow' })
  const here = new URL(answer.url)
  const is_ours = here.origin === location.origin && here.pathname.startsWith(base)
  if (!answer.ok || !is_ours) return undefined
  return { place: here.href, page: new DOMParser().parseFromString(await answer.text(), 'text/html') }
}
const base = new URL(document.querySelector('.brand').href).pathname

const NAMES = 'tbody th a, .rows .grow > a, .rows .grow > b > a'
const places = () => [...all('.found a'), ...all(NAMES)]
const move = (step) => {
  const links = places()
  const at = links.indexOf(document.activeElement)
  const next = links[at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step]
  if (next) next.focus()
  return Boolean(next)
}
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === '/' && box && !isField(event.target)) {
    event.preventDefault()
    box.focus()
    box.select()
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step || (isField(event.target) && event.target !== box)) return
  if (event.target === box && !document.querySelector('.found')) return
  if (move(step)) event.preventDefault()
})

if (navigator.clipboard) {
  for (const place of all('.facts dd > code, .work pre')) {
    const button = make('button', { type: 'button', className: 'copy small', textContent: 'Copy' })
    button.addEventListener('click', async () => {
      try {
        await navigator.clipboard.writeText(place.textContent)
        button.textContent = 'Copied'
      } catch {
        button.textContent = 'Not copied'
      }
    })
    place.after(button)
  }
}

const live = document.querySelector('[data-live]')
if (live) {
  const EVERY = ${FOLLOW_EVERY}
  const MOST = 60000
  // Following keeps the session: it must not outlast the operator.
  const ALONE = 600000
  const button = make('button', { type: 'button', className: 'follow small', textContent: 'Follow live' })
  button.setAttribute('aria-pressed', 'false')
  let wait = EVERY
  let timer
  let touched = 0
  const stop = () => {
    clearTimeout(timer)
    timer = undefined
    button.setAttribute('aria-pressed', 'false')
  }
  const again = () => {
    timer = setTimeout(look, wait)
  }
  const look = async () => {
    if (document.hidden || Date.now() - touched > ALONE) return stop()
    const place = document.querySelector('[data-live]')
    try {
      const found = await read(location.href)
      const next = found && found.page.querySelector('[data-live]')
      if (!next) return stop()
      if (next.textContent !== place.textContent && !place.contains(document.activeElement)) place.replaceWith(document.adoptNode(next))
      wait = EVERY
    } catch {
      wait = Math.min(MOST, wait * 2)
    }
    if (timer) again()
  }
  for (const kind of ['keydown', 'pointerdown']) addEventListener(kind, () => (touched = Date.now()))
  button.addEventListener('click', () => {
    if (timer) return stop()
    touched = Date.now()
    button.setAttribute('aria-pressed', 'true')
    again()
  })
  document.addEventListener('visibilitychange', () => document.hidden && stop())
  live.before(button)
}

if (box) {
  search.append(make('kbd', { textContent: '/', ariaHidden: 'true' }))
  const AFTER = 300
  const LEAST = 3
  const SHOWN = 8
  const list = make('ul', { className: 'found' })
  list.setAttribute('aria-label', 'Found')
  let timer
  let asking
  const hide = () => list.remove()
  const find = async () => {
    asking = new AbortController()
    try {
      // In the body, as Enter does: what is typed is in no address.
      const body = new URLSearchParams(new FormData(search))
      const found = await read(search.action, { method: 'POST', body, signal: asking.signal })
      if (!found) return hide()
      const { place, page } = found
      const is_list = new URL(place).pathname === new URL(search.action).pathname
      const links = is_list
        ? all(NAMES, page.querySelector('main')).map(({ href, textContent }) => ({ href, textContent }))
        : [{ href: place, textContent: page.querySelector('h1').textContent }]
      list.replaceChildren(
        ...links.slice(0, SHOWN).map((link) => {
          const item = make('li', {})
          item.append(make('a', link))
          return item
        }),
      )
      if (links.length > 0) search.append(list)
      else hide()
    } catch {
      // It was typed further, or there is no answer: Enter searches, too.
    }
  }
  box.addEventListener('input', () => {
    clearTimeout(timer)
    if (asking) asking.abort()
    if (box.value.trim().length < LEAST) return hide()
    timer = setTimeout(find, AFTER)
  })
  addEventListener('keydown', ({ key }) => key === 'Escape' && hide())
}
})()
`
