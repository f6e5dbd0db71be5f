// The search, the versions that came after this page, and the choice of colours. Nothing is asked of another host.
;(() => {
  const page = document.documentElement
  const { root, path, version } = page.dataset
  const find = (selector) => document.querySelector(selector)
  const make = (tag, properties = {}, children = []) => {
    const element = Object.assign(document.createElement(tag), properties)
    element.append(...children)
    return element
  }

  // Colours
  const theme = find('.theme')
  const isDark = () =>
    page.dataset.theme === 'dark' ||
    (!page.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches)
  const nameTheme = () => {
    theme.textContent = isDark() ? 'Light' : 'Dark'
  }
  theme.hidden = false
  nameTheme()
  theme.addEventListener('click', () => {
    page.dataset.theme = isDark() ? 'light' : 'dark'
    nameTheme()
    try {
      localStorage.setItem('redmint-theme', page.dataset.theme)
    } catch {
      // It counts for this page.
    }
  })

  // Versions
  const list = find('.versions ul')
  for (const other of (self.redmintVersions ?? []).toReversed()) {
    const known = [...list.querySelectorAll('a')].some(({ href }) => href.includes(`/v${other.version}/`))
    if (known) continue
    const target = other.pages.includes(path) ? path : 'index.html'
    const link = make('a', { href: `${root}/../v${other.version}/${target}`, textContent: other.version })
    list.prepend(make('li', {}, [link]))
  }

  // Search
  let searching
  const load = (name) =>
    new Promise((done, fail) => {
      document.head.append(make('script', { src: `${root}/assets/${name}.js`, onload: done, onerror: fail }))
    })
  const prepare = async () => {
    await Promise.all([load('minisearch'), load('texts')])
    const search = new MiniSearch({
      fields: ['heading', 'title', 'text'],
      storeFields: ['heading', 'title', 'text', 'names', 'href'],
    })
    const sections = self.redmintTexts.flatMap(([href, title, parts]) =>
      parts.map(([anchor, heading, text, names]) => ({
        id: `${href}#${anchor}`,
        href: anchor === '' ? href : `${href}#${anchor}`,
        title,
        heading,
        text,
        names,
      })),
    )
    await search.addAllAsync(sections, { chunkSize: 100 })
    return search
  }
  const look = async (query) => {
    searching ??= prepare()
    const search = await searching
    const hits = search.search(query, {
      combineWith: 'AND',
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      boost: { heading: 4, title: 3 },
      // Who asks how something is done, does not ask why.
      boostDocument: (id) => (/^(decisions|project|security)\/|^promises-tests/.test(id) ? 0.4 : 1),
    })
    // A setting, an event or an error has a row of a table, which is what somebody looks for by its name. A word is none.
    if (/^\p{L}+$/u.test(query)) return hits
    const isNamed = ({ names }) => Number(names.some((name) => name.toLowerCase() === query.toLowerCase()))
    return hits.sort((a, b) => isNamed(b) - isNamed(a))
  }

  /** Some words around the first match, with the matches marked. */
  const excerpt = ({ text, terms }) => {
    const pattern = new RegExp(
      terms.map((term) => term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'),
      'giu',
    )
    const first = Math.max(0, text.search(pattern))
    const from = first < 60 ? 0 : text.indexOf(' ', first - 50) + 1
    const words = text.slice(from, from + 180).replace(/\s\S*$/, '')
    const line = make('small', { textContent: from > 0 ? '… ' : '' })
    let end = 0
    for (const match of words.matchAll(pattern)) {
      if (match[0] === '') break
      line.append(words.slice(end, match.index), make('mark', { textContent: match[0] }))
      end = match.index + match[0].length
    }
    line.append(words.slice(end), from + words.length < text.trimEnd().length ? ' …' : '')
    return line
  }
  const row = (hit) => {
    const name = hit.heading === hit.title ? hit.title : `${hit.title}: ${hit.heading}`
    return make('li', {}, [
      make('a', { href: `${root}/${hit.href}` }, [make('b', { textContent: name }), excerpt(hit)]),
    ])
  }
  const count = (hits) => (hits.length === 0 ? 'Nothing found' : `${hits.length} found`)

  const form = find('.find')
  const field = form.querySelector('input')
  const found = form.querySelector('.found')
  const close = () => {
    found.hidden = true
  }
  let last = ''
  const show = async () => {
    const query = field.value.trim()
    last = query
    if (query.length < 2) return close()
    const hits = await look(query)
    if (query !== last) return
    found.replaceChildren(
      make('p', { role: 'status', textContent: count(hits) }),
      make('ul', {}, hits.slice(0, 8).map(row)),
    )
    found.hidden = false
  }
  field.addEventListener('focus', () => {
    searching ??= prepare()
  })
  field.addEventListener('input', show)
  form.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      close()
      field.focus()
    }
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const stops = [field, ...found.querySelectorAll('a')]
    const next = stops.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)
    stops[Math.min(Math.max(next, 0), stops.length - 1)].focus()
    event.preventDefault()
  })
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!form.contains(relatedTarget)) close()
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    field.focus()
  })

  const results = find('#results')
  const asked = new URLSearchParams(location.search).get('q')?.trim()
  // Without scripts it says that the search needs them.
  results?.replaceChildren()
  if (results && asked) {
    field.value = asked
    document.title = `${asked} · ${document.title}`
    look(asked).then((hits) => {
      results.replaceChildren(
        make('p', { role: 'status', textContent: `${count(hits)} for “${asked}” in version ${version}` }),
        make('ul', { className: 'hits' }, hits.slice(0, 50).map(row)),
      )
    })
  }
})()
