/** The style rules of every page: of sign-in, the account and the console. The colours are custom properties (theme.ts). */
export const BASE_RULES = `
*{box-sizing:border-box}
[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;min-height:100vh;min-height:100dvh;background:var(--page);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:break-word}
h1,h2,h3,p,ul,ol,dl,dd,figure,table,fieldset,pre{margin:0;padding:0}
h1{font-size:1.5rem;line-height:1.25;font-weight:650;letter-spacing:-.015em;text-wrap:balance}
h2{font-size:1rem;line-height:1.4;font-weight:650}
:lang(ar) h1,:lang(ja) h1,:lang(zh) h1{letter-spacing:0}
:lang(ja) h1{word-break:auto-phrase}
p,li{text-wrap:pretty}
small{font-size:.8125rem}
strong,b{font-weight:600}
a{color:var(--accent-ink);text-underline-offset:.2em}
code,pre,kbd{font-family:var(--mono);font-size:.875em;direction:ltr;unicode-bidi:isolate}
:focus-visible{outline:2px solid var(--accent-ink);outline-offset:2px}
.icon{flex:none;width:1.125rem;height:1.125rem;fill:none;stroke:currentColor;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
.mark{flex:none;display:grid;place-items:center;width:2.25rem;height:2.25rem;border-radius:.5rem;background:var(--accent);color:var(--on-accent);font-weight:650}
button,.button{display:inline-flex;align-items:center;justify-content:center;gap:.5rem;min-height:2.25rem;padding:.375rem .875rem;border:1px solid var(--edge);border-radius:.5rem;background:var(--surface);color:var(--text);font:inherit;font-weight:500;text-align:center;text-decoration:none;cursor:pointer}
button:hover,.button:hover{background:var(--sunken)}
button:disabled{opacity:.7;cursor:default}
.main{border-color:var(--accent-ink);background:var(--accent);color:var(--on-accent)}
.main:is(:hover,:active){background:var(--accent-pressed)}
label{font-weight:500}
input,select,textarea{display:block;width:100%;min-height:2.5rem;padding:.4375rem .75rem;border:1px solid var(--line);border-radius:.5rem;background:var(--surface);color:inherit;font:inherit}
input:focus-visible{outline-offset:-1px}
input[aria-invalid]{border-color:var(--error)}
input[aria-invalid]:focus-visible{outline-color:var(--error)}
summary{cursor:pointer}
`
