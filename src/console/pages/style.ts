/** The style rules of the console, after those of its parts: the body has the class `console`. */
export const CONSOLE_RULES = `
.console{font-size:.875rem}
.console a{text-decoration-color:color-mix(in srgb,currentColor 40%,#0000)}
.console :is(.button,.chip,.card-choice,.name),.side a,.brand,thead th a{text-decoration:none}
.brand small{display:block;color:var(--muted);font-size:.75rem;font-weight:400;line-height:1.3;overflow-wrap:anywhere}
.brand>span:last-child{line-height:1.3}
.side .brand{margin-bottom:1.25rem;padding:0 .5rem}
.side li button{width:100%;justify-content:start;padding:.25rem .625rem;border:0;background:none}
.side .state{margin-inline-start:auto}
.find{position:relative;flex:1 1 10rem;max-width:34rem}
.find input{padding-inline:2.5rem .75rem;border-color:var(--hairline);background:var(--sunken)}
.find>button{position:absolute;inset-block:0;inset-inline-start:0;width:2.5rem;min-height:0;padding:0;border-color:#0000;background:none;color:var(--muted)}
.find kbd{position:absolute;inset-inline-end:.625rem;top:.5625rem;padding:0 .4375rem;border:1px solid var(--hairline);border-radius:.25rem;background:var(--surface);color:var(--muted);pointer-events:none}
.found{position:absolute;z-index:4;inset-inline:0;top:100%;margin-top:.25rem;padding:.25rem;border:1px solid var(--hairline);border-radius:.75rem;background:var(--surface);box-shadow:var(--lifted)}
.found a{display:block;padding:.5rem .625rem;border-radius:.375rem;color:var(--text);overflow-wrap:anywhere}
.found a:is(:hover,:focus-visible){background:var(--sunken)}
.phone-menu>summary{display:grid;place-items:center;width:2.75rem;height:2.75rem;border:1px solid var(--hairline);border-radius:.5rem;list-style:none}
.phone-menu>nav{position:absolute;z-index:5;inset-inline:0;padding:.5rem 1rem 1.25rem;border-bottom:1px solid var(--hairline);background:var(--surface);box-shadow:var(--lifted)}
.phone-menu[open]>nav{top:3.8125rem;max-height:calc(100dvh - 3.8125rem);overflow:auto}
.phone-menu li :is(a,button){min-height:2.75rem}
.desk>.side{display:none}
.work{max-width:76rem;padding:1.5rem 1rem 4rem}
.path{display:flex;flex-wrap:wrap;gap:0 .375rem;margin-bottom:.5rem;color:var(--muted);font-size:.8125rem;overflow-wrap:anywhere}
.path a{color:inherit}
.path :is(a,span){min-width:0}
.lead{max-width:44rem;margin-bottom:1.25rem;color:var(--muted)}
.tabs{display:flex;flex-wrap:wrap;gap:0 1.25rem;margin-bottom:1.5rem;border-bottom:1px solid var(--hairline)}
.tabs a{display:block;margin-bottom:-1px;padding:.5rem 0;border-bottom:2px solid #0000;color:var(--muted);font-weight:500;text-decoration:none}
.tabs a:hover{color:var(--text)}
.tabs a[aria-current]{border-color:var(--accent-ink);color:var(--text)}
.filters{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem .75rem;margin-bottom:.875rem}
.filters .find{flex:1 1 11rem;max-width:20rem}
.filters .find input{background:var(--surface);border-color:var(--line)}
.sieve{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(12rem,100%),1fr));gap:0 1rem;margin-bottom:1rem}
.sieve .field{grid-row:span 3;grid-template-rows:subgrid}
.sieve .field>button{grid-row:2;justify-self:start}
.narrow-page{max-width:44rem}
.narrow-page>p{margin-bottom:1rem;color:var(--muted)}
.cards+h2{margin:1.5rem 0 .75rem}
.card-choice>span{min-width:0;overflow-wrap:anywhere}
.console legend code{color:var(--muted);font-weight:400}
.inside>p+:is(.field,fieldset,.tick,.pair,.label){margin-top:1rem}
.panel>:is(p,pre,details,form,.tree,.filters){margin:.875rem 1rem}
.panel>ul:not([class]){margin:.875rem 1rem;padding-inline-start:1rem;list-style:disc}
.panel>ul:not([class])>li+li{margin-top:.375rem}
:is(td,dd,.panel>ul)>ul:not([class]),td>ul{padding-inline-start:1rem;list-style:disc}
.panel>ul.buttons{margin:.875rem 1rem}
.panel>:is(table,dl)+:is(table,dl){border-top:1px solid var(--hairline)}
.work>:is(p,pre,.buttons){margin-bottom:1rem}
.work>p:not(.buttons){max-width:44rem}
p.empty{color:var(--muted)}
table{width:100%;border-collapse:collapse}
:is(.work,[data-live])>table{margin-bottom:1.5rem;border-radius:.75rem;background:var(--surface);box-shadow:0 0 0 1px var(--hairline),var(--shadow)}
th,td{padding:.625rem 1rem;text-align:start;vertical-align:middle;font-weight:400}
.stacks :is(th,td),.difference :is(th,td){vertical-align:top}
.number:is(th,td){text-align:end}
td,tbody th{overflow-wrap:anywhere;white-space:pre-line}
.whole{overflow-wrap:break-word}
tbody th{min-width:min(11rem,38vw)}
td:not(.whole){min-width:min(7rem,28vw)}
tbody tr{position:relative;border-top:1px solid var(--hairline)}
thead th{padding-block:.5rem;color:var(--muted);font-size:.8125rem;font-weight:500}
tbody tr:has(.name,th>a):hover{background:var(--sunken)}
.name,tbody th>a{color:var(--text);font-weight:600;text-decoration:none}
:is(.name,tbody th>a):hover{text-decoration:underline}
:is(.name,tbody th>a:first-child):after{content:"";position:absolute;inset:0}
td :is(a,button,form,summary):not(.name){position:relative}
td .chip{min-height:1.375rem;padding:0 .5rem}
.who{display:flex;align-items:center;gap:.75rem;min-width:0;white-space:normal}
.who>:last-child{min-width:0}
.panel.empty{padding:2.5rem 1.5rem;text-align:center}
.panel.empty .sign{margin:0 auto .75rem}
.panel.empty .buttons{justify-content:center}
.panel.empty p{max-width:30rem;margin:.25rem auto 1rem;color:var(--muted)}
.tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(15rem,100%),1fr));gap:1rem;margin-bottom:1.5rem}
.panel>.tiles{margin:1rem}
.tile{padding:.875rem 1rem;border:1px solid var(--hairline);border-radius:.75rem;background:var(--surface);box-shadow:var(--shadow)}
.tile figcaption{color:var(--muted)}
.tile b{display:block;font-size:1.5rem;line-height:1.25;font-weight:650;letter-spacing:-.015em;font-variant-numeric:tabular-nums}
.tile svg{display:block;width:100%;height:4.5rem;margin:.625rem 0 .25rem}
.tile .ground{fill:none;stroke:var(--hairline)}
.tile .first,.key.first{fill:var(--accent-ink);background:var(--accent-ink)}
.tile .second,.key.second{fill:var(--error);background:var(--error)}
.tile .third,.key.third{fill:var(--muted);background:var(--muted)}
.hours{display:flex;justify-content:space-between;color:var(--muted);font-size:.75rem}
.keys{display:flex;flex-wrap:wrap;gap:0 .875rem;margin-top:.25rem;color:var(--muted);font-size:.75rem}
.key{display:inline-block;width:.5rem;height:.5rem;margin-inline-end:.375rem;border-radius:.125rem}
.share{display:block;height:.25rem;margin-top:.375rem;border-radius:.25rem;background:var(--sunken);overflow:hidden;width:100%}
.share rect{fill:var(--accent-ink)}
del,ins{padding:0 .125rem;border-radius:.125rem;text-decoration-thickness:1px}
del{background:var(--error-surface);color:var(--error)}
ins{background:var(--good-surface);color:var(--good);text-decoration:none}
mark{border-bottom:2px solid var(--error);background:var(--error-surface);color:var(--error)}
.differs{background:var(--error-surface)}
.two>form{margin-bottom:1.5rem}
.consequence{display:grid;grid-template-columns:repeat(auto-fit,minmax(8rem,1fr));gap:1px;overflow:hidden;border-bottom:1px solid var(--hairline);border-radius:.75rem .75rem 0 0;background:var(--hairline)}
.consequence>li{padding:.875rem 1rem;background:var(--surface)}
.consequence b{display:block;font-size:1.25rem;font-weight:650;font-variant-numeric:tabular-nums}
.consequence span{color:var(--muted)}
.steps{padding:.5rem}
.steps>li{display:flex;flex-wrap:wrap;gap:.25rem .75rem;padding:.5rem;border-radius:.5rem}
.steps>li>span:not(.buttons){flex:1 1 12rem}
.steps .icon{margin-top:.125rem;color:var(--good)}
.steps .turns{color:var(--accent-ink)}
.steps .stop{background:var(--error-surface)}
.steps .stop .icon{color:var(--error)}
.steps .stop+.stop{margin-top:.5rem}
.steps+.inside{padding-top:0}
.tree li{overflow-wrap:anywhere}
.tree ul{margin-inline-start:.5625rem;border-inline-start:1px solid var(--line)}
.tree ul>li{position:relative;padding:.25rem 0;padding-inline-start:1.375rem}
.tree ul>li:before{content:"";position:absolute;inset-inline-start:0;top:1rem;width:.875rem;border-top:1px solid var(--line)}
dd>.copy{margin-inline-start:.5rem}
pre+.copy{margin:.5rem 0 1rem}
.panel>pre+.copy{margin-inline:1rem}
.follow{margin-bottom:.75rem}
.follow[aria-pressed=true]{border-color:var(--accent-ink)}
@media(max-width:47.99rem){
.minor{display:none}
th,td{padding-inline:.75rem}
.console .mine,.find kbd{display:none}
.tile svg{height:3.5rem}
.stacks thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.stacks,.stacks :is(tbody,tr,th,td){display:block}
.stacks tr{padding:.5rem 0}
.stacks :is(tbody th,td){padding:.125rem .75rem}
.stacks td:before{content:attr(data-label) ": ";color:var(--muted)}
.stacks td[data-label=""]:before{content:none}
.stacks .number{text-align:start}
.stacks td>.chips{display:inline-flex;vertical-align:middle}
}
@media(min-width:60rem){
.wide{min-width:min(14rem,17vw)}
.desk{display:grid;grid-template-columns:15rem minmax(0,1fr)}
.desk>.side{display:block;position:sticky;top:0;height:100vh;overflow:auto;padding:.875rem .75rem;border-inline-end:1px solid var(--hairline);background:var(--surface)}
.console .phone-menu{display:none}
.desk .top{max-width:76rem;padding-inline:2rem;border:0;background:none;margin-top:.375rem}
.desk .top .find input{background:var(--surface)}
.work{padding:1rem 2rem 4rem}
}
`
