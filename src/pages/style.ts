/** The style rules of every page. The colours are custom properties (theme.ts). */
export const RULES = `
*{box-sizing:border-box}
[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{display:flex;flex-direction:column;margin:0;min-height:100vh;min-height:100dvh;background:var(--surface);color:var(--text);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
.card{flex:1;padding:1.5rem 1.25rem 2rem}
header{display:flex;align-items:center;gap:.625rem;margin-bottom:2rem;font-weight:600}
header img{display:block;max-width:100%;height:2.25rem;object-fit:contain;object-position:left}
[dir=rtl] header img{object-position:right}
:lang(ar) h1,:lang(ja) h1,:lang(zh) h1{letter-spacing:0}
:lang(ja) h1{word-break:auto-phrase}
.mark{flex:none;display:grid;place-items:center;width:2.25rem;height:2.25rem;border:1px solid var(--accent-ink);border-radius:.625rem;background:var(--accent);color:var(--on-accent);font-weight:700}
h1{margin:0 0 .625rem;font-size:1.5rem;line-height:1.25;font-weight:650;letter-spacing:-.015em;text-wrap:balance}
p{margin:0 0 1rem}
p,li{text-wrap:pretty}
p:last-child{margin-bottom:0}
strong{font-weight:600}
.lead{margin-bottom:1.5rem;color:var(--muted)}
.lead strong{color:var(--text)}
.note{margin:1rem 0 0;font-size:.875rem;color:var(--muted)}
.alert{display:flex;gap:.75rem;margin:0 0 1.5rem;padding:.75rem .875rem;border:1px solid var(--error);border-radius:.625rem;background:var(--error-surface);font-weight:500}
.alert:before{content:"!";flex:none;width:1.5rem;height:1.5rem;border-radius:50%;background:var(--error);color:var(--error-surface);font-weight:700;line-height:1.5rem;text-align:center}
h2{margin:0 0 .75rem;font-size:1.0625rem;line-height:1.4;font-weight:650}
.section{margin-top:2rem;padding-top:1.5rem;border-top:1px solid var(--hairline)}
.items{margin:0 0 1rem;padding:0;list-style:none}
.items>li{padding:.75rem 0;border-bottom:1px solid var(--hairline)}
.items>li:last-child{border-bottom:0}
.items form,.items li>button{margin-top:.75rem}
.items ul{margin:.5rem 0;padding-inline-start:1.25rem}
form>h2{margin-top:2rem}
.note+:is(button,label,p),dl+:is(form,p),:is(.account,.scopes)+.alert{margin-top:1rem}
.result{margin:0 0 1.5rem;padding:.75rem .875rem;border:1px solid var(--accent-ink);border-radius:.625rem;background:var(--sunken)}
.origin{margin-top:1.25rem}
.origin p,.origin ul{margin:0 0 .75rem}
.origin ul{margin-bottom:0;padding-inline-start:1.25rem}
label{display:block;margin-bottom:.375rem;font-size:.875rem;font-weight:500}
input{display:block;width:100%;height:3rem;margin-bottom:1.25rem;padding:0 .875rem;border:1px solid var(--line);border-radius:.625rem;background:var(--surface);color:inherit;font:inherit}
input[aria-invalid]{border-color:var(--error)}
input:focus-visible{outline-width:2px;outline-offset:-1px}
input[aria-invalid]:focus-visible{outline-color:var(--error)}
.field{position:relative;margin-bottom:1.25rem}
.field input{margin:0;padding-inline-end:3.25rem}
.field input::-ms-reveal{display:none}
.secret{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center}
.secret label{margin:0}
.secret .field{order:1;flex:0 0 100%;margin-top:.375rem}
.secret .link{margin:-.75rem -.5625rem}
button,.button{display:block;width:100%;min-height:3rem;padding:.6875rem 1rem;border:1px solid var(--line);border-radius:.625rem;background:none;color:inherit;font:inherit;font-weight:500;text-align:center;text-decoration:none;cursor:pointer;transition:background-color .15s}
button:hover,.button:hover{background:var(--sunken)}
button:disabled{opacity:.7;cursor:default}
.primary{border-color:var(--accent-ink);font-weight:600;background:var(--accent);color:var(--on-accent)}
.primary:hover,.primary:active{background:var(--accent-pressed)}
.link{width:auto;min-width:2.75rem;min-height:2.75rem;padding:.5rem;border-color:transparent;color:var(--accent-ink);font-size:.875rem}
:focus-visible{outline:3px solid var(--accent-ink);outline-offset:2px}
button.eye{position:absolute;inset-block:0;inset-inline-end:0;display:grid;place-items:center;width:3rem;padding:0;border-color:transparent;background:none;color:var(--muted)}
.eye[aria-pressed=true] .slash{display:none}
.icon{flex:none;width:1.25rem;height:1.25rem;fill:none;stroke:currentColor;stroke-width:1.75;stroke-linecap:round;stroke-linejoin:round}
.check{display:grid;place-items:center;width:3rem;height:3rem;margin-bottom:1.25rem;border-radius:50%;background:var(--accent);color:var(--on-accent)}
.check .icon{width:1.75rem;height:1.75rem;stroke-width:2.25}
a.link{display:inline-flex;align-items:center;justify-content:center;border:1px solid transparent;font-weight:500;text-decoration:none}
.link:hover,footer a:hover,footer button:hover{text-decoration:underline}
footer button:hover{background:none}
.caps{margin:0;font-size:.875rem;font-weight:500}
.caps:not(:empty){margin-bottom:1rem}
.up{margin:1rem 0 0;text-align:center}
.offers{display:grid;gap:.75rem;margin-top:1rem}
.logo{flex:none;width:2.5rem;height:2.5rem;border-radius:.625rem;object-fit:contain}
.more{display:flex;flex-wrap:wrap;margin:.25rem -.5625rem 0}
li small{display:block;color:var(--muted);font-size:.875rem}
footer{display:flex;flex-wrap:wrap;justify-content:center;gap:0 .25rem;padding:0 .5rem .75rem;font-size:.875rem}
footer form{display:contents}
footer a,footer button,.languages span{display:inline-grid;place-items:center;width:auto;min-width:2.75rem;min-height:2.75rem;padding:0 .625rem;border:0;color:var(--muted);font-weight:400;text-decoration:none}
footer summary{display:inline-flex;align-items:center;min-height:2.75rem;padding:0;color:var(--muted);font-weight:400}
footer summary:after{content:"▾";margin-inline:.375rem .625rem}
footer summary span{margin-inline-start:.625rem}
.languages{display:flex;flex-wrap:wrap;align-items:center;color:var(--muted)}
.languages .icon,summary .icon{width:1rem;height:1rem;margin-inline:.625rem -.25rem}
.languages>:not(.icon)+*{position:relative}
.languages>:not(.icon)+:before{content:"·";position:absolute;inset-inline-start:-.125rem}
.languages span{color:var(--text)}
.links{margin:1.25rem -.5rem 0;padding:0;list-style:none}
.choice{display:grid;gap:.75rem;margin-top:1.5rem}
.account{display:flex;align-items:center;gap:.75rem;text-align:start;font-weight:400}
.account>span{flex:1;min-width:0;line-height:1.375}
.account small{display:block;color:var(--muted);font-size:.875rem}
.account .mark{flex:none;width:2.5rem;height:2.5rem;border-color:var(--hairline);border-radius:50%;background:var(--sunken);color:var(--text);font-weight:600}
.app{margin-bottom:1.75rem}
h1+.app{margin-top:1.25rem}
.lead+.app{margin-top:-1rem}
.app .mark{border-radius:.625rem}
.chip{margin-bottom:1rem;padding:.5rem .75rem;border:1px solid var(--hairline);border-radius:.75rem}
.chip .link{flex:none;margin:-.25rem -.5rem}
.scopes{margin:0;padding:.5rem 1rem;border:1px solid var(--hairline);border-radius:.75rem;background:var(--sunken);list-style:none}
.scopes li{position:relative;padding-block:.375rem;padding-inline:1.75rem 0}
.scopes li:before{content:"";position:absolute;inset-inline-start:.1875rem;top:.6875rem;width:.375rem;height:.75rem;border:solid var(--accent-ink);border-width:0 2px 2px 0;transform:rotate(45deg)}
.details{margin:2rem 0 0;padding:1rem 0 0;border-top:1px solid var(--hairline);font-size:.875rem;color:var(--muted)}
details.details{padding-top:.25rem}
.details h2{margin:0 0 .5rem;font-size:.875rem;line-height:1.5;font-weight:600;color:var(--text)}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem;margin:0}
dd{margin:0;color:var(--text)}
pre{margin:0 0 .75rem;padding:.625rem .75rem;border:1px solid var(--hairline);border-radius:.5rem;background:var(--sunken);color:var(--text);font:.8125rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap}
.alert pre{margin:0;padding:0;border:0;background:none}
code,pre{direction:ltr;unicode-bidi:isolate}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
input.code{font:600 1.375rem/1 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;letter-spacing:.12em;text-transform:uppercase}
.device{margin-bottom:1.25rem}
.device dt{color:var(--muted)}
.device code{font-size:1rem;font-weight:600;letter-spacing:.08em}
.qr{display:block;width:100%;max-width:13rem;margin:0 auto 1.25rem;border-radius:.625rem;forced-color-adjust:none}
label:has([type=checkbox]){display:flex;align-items:center;min-height:2.75rem}
[type=checkbox]{flex:none;font-size:1rem;width:1.25rem;height:1.25rem;margin:0;margin-inline-end:.625rem;vertical-align:middle}
summary{padding:.75rem 0;color:var(--accent-ink);font-size:.875rem;font-weight:500;cursor:pointer}
.choice+details{margin-top:1rem}
.shown{margin:1.25rem 0;padding:1rem;border:1px solid var(--hairline);border-radius:.75rem;background:var(--sunken);text-align:center}
.shown code{font-size:1.75rem;font-weight:650;letter-spacing:.12em}
.shown .qr{margin:.75rem auto 0}
.token pre small{color:var(--muted);user-select:none}
@keyframes late{from{visibility:hidden}}
.late{animation:late 0s 1s backwards}
@media(min-width:32rem){
body{display:grid;place-content:center;grid-template-columns:minmax(0,26.5rem);padding:2rem 1rem;background:var(--page)}
.card{padding:2.5rem;border:1px solid var(--hairline);border-radius:1.25rem;background:var(--surface);box-shadow:0 1px 2px #0000000d,0 16px 40px -12px #0000001f}
footer{padding:.75rem .5rem 0}
.pair{grid-template-columns:1fr 1fr}
}
@media(min-width:60rem){
body:has(.wide){grid-template-columns:minmax(0,56rem)}
.four{grid-template-columns:repeat(4,1fr)}
.wide .token{display:grid;grid-template-columns:1fr 1fr;gap:0 2rem}
}
@media print{header,footer,.note,button,label,.choice,.alert{display:none!important}body{display:block}.card{border:0;box-shadow:none}}
@media(prefers-reduced-motion:reduce){*{transition:none!important}}
`
