// The colours that the reader chose, before anything is drawn.
try {
  const theme = localStorage.getItem('redmint-theme')
  if (theme) document.documentElement.dataset.theme = theme
} catch {
  // Some browsers keep nothing for pages that are opened as files.
}
