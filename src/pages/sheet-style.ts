/** The style rules of sign-in and of everything else that is one sheet: one column, on a phone the whole screen. */
export const SHEET_RULES = `
body{display:flex;flex-direction:column;background:var(--surface);overflow-wrap:anywhere}
.card{flex:1;padding:1.5rem 1.25rem 2rem}
header{display:flex;align-items:center;gap:.625rem;margin-bottom:2rem;font-weight:600}
header img{display:block;max-width:100%;height:2.25rem;object-fit:contain;object-position:left}
[dir=rtl] header img{object-position:right}
h1{margin-bottom:.625rem}
p{margin-bottom:1rem}
p:last-child{margin-bottom:0}
.lead{margin-bottom:1.5rem;color:var(--muted)}
.lead strong{color:var(--text)}
.note{margin:1rem 0 0;font-size:.875rem;color:var(--muted)}
.alert{display:flex;gap:.75rem;margin:0 0 1.5rem;padding:.75rem .875rem;border:1px solid var(--error);border-radius:.75rem;background:var(--error-surface);font-weight:500}
.alert:before{content:"!";flex:none;width:1.5rem;height:1.5rem;border-radius:50%;background:var(--error);color:var(--error-surface);font-weight:700;line-height:1.5rem;text-align:center}
h2{margin-bottom:.75rem}
.section{margin-top:2rem;padding-top:1.5rem;border-top:1px solid var(--hairline)}
.items{margin-bottom:1rem;list-style:none}
.items>li{padding:.75rem 0;border-bottom:1px solid var(--hairline)}
.items>li:last-child{border-bottom:0}
.items form,.items li>button{margin-top:.75rem}
.items ul{margin:.5rem 0;padding-inline-start:1.25rem}
form>h2{margin-top:2rem}
.card form+form{margin-top:.75rem}
.note+:is(button,label,p),.note+[type=hidden]+:is(button,label,p),dl+:is(form,p),:is(.account,.scopes)+.alert{margin-top:1rem}
.result{margin:0 0 1.5rem;padding:.75rem .875rem;border:1px solid var(--accent-ink);border-radius:.75rem;background:var(--accent-surface)}
.origin{margin-top:1.25rem}
.origin p,.origin ul{margin:0 0 .75rem}
.origin ul{margin-bottom:0;padding-inline-start:1.25rem}
label{display:block;margin-bottom:.375rem;font-size:.875rem}
input,select{height:3rem;margin-bottom:1.25rem;padding:0 .875rem}
select+.note{margin:-.75rem 0 1.25rem}
.field{position:relative;margin-bottom:1.25rem}
.field input{margin:0;padding-inline-end:3.25rem}
.field input::-ms-reveal{display:none}
.secret{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:center}
.secret label{margin:0}
.secret .field{order:1;flex:0 0 100%;margin-top:.375rem}
.secret .link{margin:-.75rem -.5625rem}
button,.button{width:100%;min-height:3rem;padding:.6875rem 1rem}
.main{font-weight:600}
.main.red{border-color:var(--danger);background:var(--danger);color:var(--on-danger)}
.link{width:auto;min-width:2.75rem;min-height:2.75rem;padding:.5rem;border-color:#0000;background:none;color:var(--accent-ink);font-size:.875rem}
button.eye{position:absolute;inset-block:0;inset-inline-end:0;width:3rem;padding:0;border-color:#0000;background:none;color:var(--muted)}
.eye[aria-pressed=true] .slash{display:none}
.icon{width:1.25rem;height:1.25rem}
.check{display:grid;place-items:center;width:3rem;height:3rem;margin-bottom:1.25rem;border-radius:50%;background:var(--good-surface);color:var(--good)}
.check .icon{width:1.5rem;height:1.5rem;stroke-width:2.25}
a.link{display:inline-flex;align-items:center;border:1px solid #0000;font-weight:500;text-decoration:none}
.link:hover,footer a:hover,footer button:hover{text-decoration:underline}
footer button:hover{background:none}
.caps{margin:0;font-size:.875rem;font-weight:500}
.caps:not(:empty){margin-bottom:1rem}
.up{margin:1rem 0 0;text-align:center}
.offers{display:grid;gap:.75rem;margin-top:1rem}
.logo{flex:none;width:2.5rem;height:2.5rem;border-radius:.5rem;object-fit:contain}
.more{display:flex;flex-wrap:wrap;margin:.25rem -.5625rem 0}
li small{display:block;color:var(--muted);font-size:.875rem}
footer{display:flex;flex-wrap:wrap;justify-content:center;gap:0 .25rem;padding:0 .5rem .75rem;font-size:.875rem}
footer form{display:contents}
footer a,footer button,.languages span{display:inline-grid;place-items:center;width:auto;min-width:2.75rem;min-height:2.75rem;padding:0 .625rem;border:0;background:none;color:var(--muted);font-weight:400;text-decoration:none}
footer summary{display:inline-flex;align-items:center;min-height:2.75rem;padding:0;color:var(--muted);font-weight:400}
footer summary:after{content:"▾";margin-inline:.375rem .625rem}
footer summary span{margin-inline-start:.625rem}
.languages{display:flex;flex-wrap:wrap;align-items:center;color:var(--muted)}
.languages .icon,summary .icon{width:1rem;height:1rem;margin-inline:.625rem -.25rem}
.languages>:not(.icon)+*{position:relative}
.languages>:not(.icon)+:before{content:"·";position:absolute;inset-inline-start:-.125rem}
.languages span{color:var(--text)}
.links{margin:1.25rem -.5rem 0;list-style:none}
.choice{display:grid;gap:.75rem;margin-top:1.5rem}
.pair>.link{justify-self:center}
.account{display:flex;align-items:center;justify-content:start;gap:.75rem;text-align:start;font-weight:400}
.account>span{flex:1;min-width:0;line-height:1.375}
.account small{display:block;color:var(--muted);font-size:.875rem}
.account .mark{flex:none;width:2.5rem;height:2.5rem;border:1px solid var(--hairline);border-radius:50%;background:var(--sunken);color:var(--text);font-weight:600}
.app{margin-bottom:1.75rem}
h1+.app{margin-top:1.25rem}
.lead+.app{margin-top:-1rem}
.app .mark{border-radius:.5rem}
.chip{margin-bottom:1rem;padding:.5rem .75rem;border:1px solid var(--hairline);border-radius:.75rem}
.chip .link{flex:none;margin:-.25rem -.5rem}
.bar{margin:-.75rem 0 1.5rem;background:var(--accent-surface);font-size:.875rem}
.bar>.icon{color:var(--accent-ink)}
.scopes{padding:.5rem 1rem;border:1px solid var(--hairline);border-radius:.75rem;background:var(--sunken);list-style:none}
.scopes li{position:relative;padding-block:.375rem;padding-inline:1.75rem 0}
.scopes li:before{content:"";position:absolute;inset-inline-start:.1875rem;top:.6875rem;width:.375rem;height:.75rem;border:solid var(--accent-ink);border-width:0 2px 2px 0;transform:rotate(45deg)}
.asked{display:grid;gap:.5rem;margin-bottom:.75rem;list-style:none}
.asked li{padding:.75rem 1rem;border:2px solid var(--accent-ink);border-radius:.75rem;overflow-wrap:anywhere}
.asked dl{margin-top:.5rem;font-size:.875rem}
.asked dt{color:var(--muted)}
.details{margin:2rem 0 0;padding:1rem 0 0;border-top:1px solid var(--hairline);font-size:.875rem;color:var(--muted)}
details.details{padding-top:.25rem}
.details h2{margin:0 0 .5rem;font-size:.875rem;line-height:1.5;font-weight:600;color:var(--text)}
dl{display:grid;grid-template-columns:auto 1fr;gap:.25rem 1rem}
dd{color:var(--text)}
pre{margin-bottom:.75rem;padding:.625rem .75rem;border:1px solid var(--hairline);border-radius:.5rem;background:var(--sunken);color:var(--text);font-size:.8125rem;white-space:pre-wrap}
.alert pre{margin:0;padding:0;border:0;background:none}
input.code{font:600 1.375rem/1 var(--mono);letter-spacing:.12em;text-transform:uppercase}
.device{margin-bottom:1.25rem}
:is(.scopes,.asked,.note)+.device{margin-top:1.25rem}
.device dt{color:var(--muted)}
.device code{font-size:1rem;font-weight:600;letter-spacing:.08em}
.qr{display:block;width:100%;max-width:13rem;margin:0 auto 1.25rem;border-radius:.75rem;forced-color-adjust:none}
label:has([type=checkbox]){display:flex;align-items:center;min-height:2.75rem}
[type=checkbox]{flex:none;font-size:1rem;width:1.25rem;height:1.25rem;min-height:0;margin:0;margin-inline-end:.625rem;vertical-align:middle;accent-color:var(--accent)}
summary{padding:.75rem 0;color:var(--accent-ink);font-size:.875rem;font-weight:500}
.choice+details{margin-top:1rem}
.shown{margin:1.25rem 0;padding:1rem;border:1px solid var(--hairline);border-radius:.75rem;background:var(--sunken);text-align:center}
.shown code{font-size:1.75rem;font-weight:650;letter-spacing:.12em}
.shown .qr{margin:.75rem auto 0}
.token pre small{color:var(--muted);user-select:none}
@keyframes late{from{visibility:hidden}}
.late{animation:late 0s 1s backwards}
@media(min-width:32rem){
body{display:grid;place-content:center;grid-template-columns:minmax(0,26.5rem);padding:2rem 1rem;background:var(--page)}
.card{padding:2.5rem;border:1px solid var(--hairline);border-radius:1.25rem;background:var(--surface);box-shadow:var(--lifted)}
footer{padding:.75rem .5rem 0}
.pair{grid-template-columns:1fr 1fr}
.pair>.link{grid-column:1/-1}
}
@media(min-width:60rem){
body:has(.wide){grid-template-columns:minmax(0,56rem)}
.four{grid-template-columns:repeat(4,1fr)}
.wide .token{display:grid;grid-template-columns:1fr 1fr;gap:0 2rem}
}
@media print{header,footer,.note,button,label,.choice,.alert{display:none!important}body{display:block}.card{border:0;box-shadow:none}}
`
