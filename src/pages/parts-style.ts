/** The style rules of what the console and the account page are made of, after those of every page. */
export const PART_RULES = `
ul,ol{list-style:none}
fieldset{min-width:0;border:0}
legend{padding:0;font-weight:500}
h3{font-size:.875rem;line-height:1.4;font-weight:600}
code{overflow-wrap:anywhere}
.allowed{display:grid;gap:.375rem;margin:.25rem 0}
.allowed>*{padding-inline-start:.625rem;border-inline-start:2px solid var(--line);overflow-wrap:anywhere}
.allowed dl{font-size:.8125rem;color:var(--muted)}
.allowed :is(dt,dd){display:inline;margin:0}
.allowed dt:after{content:": "}
.allowed dd{margin-inline-end:.5rem}
.quiet{color:var(--muted)}
.nowrap{white-space:nowrap}
.number{text-align:end;font-variant-numeric:tabular-nums}
.read-only{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;inset-inline-start:-100vw}
.skip:focus{inset-inline-start:.5rem;top:.5rem;z-index:9;padding:.5rem 1rem;background:var(--surface)}
[dir=rtl] .icon.turns{transform:scaleX(-1)}
.mark{width:2rem;height:2rem;font-size:.875rem}
.app,.face{flex:none;display:grid;place-items:center;width:2rem;height:2rem;border:1px solid var(--hairline);border-radius:.5rem;background:var(--sunken);color:var(--muted);font-size:.75rem;font-weight:600}
.face{border-radius:50%}
.large{width:3.5rem;height:3.5rem;font-size:1.125rem}
.red{color:var(--error)}
.red:hover{background:var(--error-surface)}
.main.red{border-color:var(--danger);background:var(--danger);color:var(--on-danger)}
.plain{border-color:#0000;background:none;color:var(--accent-ink);padding-inline:.5rem}
.plain.red{color:var(--error)}
.small{min-height:1.875rem;padding:.125rem .625rem;font-size:.8125rem}
.buttons{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem}
.field{display:grid;align-content:start;gap:.375rem;margin-bottom:1.25rem}
.field>label:not(.tick),.label{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:0 .75rem}
.field legend{width:100%;margin-bottom:.375rem}
.label code{color:var(--muted);font-weight:400}
.hint{color:var(--muted);font-size:.8125rem}
.wrong{color:var(--error);font-size:.8125rem;font-weight:500}
textarea{font-family:var(--mono);font-size:.8125rem;line-height:1.6}
input::placeholder{color:var(--muted);opacity:1}
:is(select,textarea):focus-visible{outline-offset:-1px}
input[readonly]{border-color:var(--hairline);background:var(--sunken);color:var(--muted)}
[type=checkbox],[type=radio]{flex:none;width:1.125rem;height:1.125rem;min-height:0;margin:.1875rem 0 0;accent-color:var(--accent)}
.tick{display:flex;gap:.625rem;font-weight:400}
.tick+.tick{margin-top:.5rem}
.tick small{display:block;color:var(--muted)}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(15rem,100%),1fr));gap:.375rem 1rem}
.pair>.field{grid-row:span 3;grid-template-rows:subgrid;margin-bottom:.875rem}
.pair .label{align-items:end}
.chips{display:flex;flex-wrap:wrap;align-items:center;gap:.375rem}
.chip{display:inline-flex;align-items:center;gap:.375rem;max-width:100%;min-height:1.75rem;padding:0 .625rem;border:1px solid var(--hairline);border-radius:1rem;background:var(--surface);color:var(--text);font-size:.8125rem;font-weight:400;text-decoration:none}
a.chip:hover,label.chip:hover,summary.chip:hover{border-color:var(--line)}
.chip b{color:var(--muted);font-weight:400;font-variant-numeric:tabular-nums}
.chip[aria-current],.chip:has(:checked){border-color:var(--accent-ink);background:var(--accent-surface)}
.chip[aria-current]{font-weight:600}
.chip[aria-current] b{color:inherit}
.chip .icon{width:.875rem;height:.875rem}
.chip input{width:.875rem;height:.875rem;margin:0}
.chips input[type=text]{flex:0 1 11rem;width:auto;min-height:1.75rem;padding:.0625rem .625rem;border-style:dashed;border-radius:1rem;font-size:.8125rem}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(var(--card,15rem),100%),1fr));gap:.75rem}
.cards.narrow{--card:10.5rem}
.inside .cards{grid-template-columns:repeat(auto-fit,minmax(min(11.5rem,100%),1fr))}
.card-choice{display:flex;align-items:flex-start;gap:.75rem;padding:.875rem;border:1px solid var(--hairline);border-radius:.75rem;background:var(--surface);color:var(--text);font-weight:400;text-decoration:none;box-shadow:var(--shadow)}
.card-choice:hover{border-color:var(--line)}
.card-choice:has(:checked){border-color:var(--accent-ink);background:var(--accent-surface)}
.card-choice:has(:focus-visible){outline:2px solid var(--accent-ink);outline-offset:2px}
.card-choice b,.card-choice small{display:block}
.card-choice small{color:var(--muted)}
.cards.narrow .card-choice{align-items:center;padding:.625rem .75rem}
.sign{flex:none;display:grid;place-items:center;width:2.25rem;height:2.25rem;border-radius:.5rem;background:var(--accent-surface);color:var(--accent-ink)}
.state{display:inline-flex;align-items:center;gap:.375rem;padding:.0625rem .5rem;border-radius:1rem;background:var(--sunken);color:var(--muted);font-size:.8125rem;font-weight:500;letter-spacing:0}
.state:before{content:"";flex:none;width:.375rem;height:.375rem;border-radius:50%;background:currentColor}
.state.good{background:var(--good-surface);color:var(--good)}
.state.warn{background:var(--warn-surface);color:var(--warn)}
.state.bad{background:var(--error-surface);color:var(--error)}
.notice{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem .75rem;margin-bottom:1.5rem;padding:.625rem .875rem;border:1px solid var(--hairline);border-radius:.75rem;background:var(--surface);box-shadow:var(--shadow)}
.notice>div,.notice>p{flex:1 1 16rem}
.notice>.icon{color:var(--muted)}
.notice.good{border-color:color-mix(in srgb,var(--good) 35%,var(--surface));background:var(--good-surface)}
.notice.good>.icon{color:var(--good)}
.notice.warn{border-color:color-mix(in srgb,var(--warn) 40%,var(--surface));background:var(--warn-surface)}
.notice.warn>.icon{color:var(--warn)}
.notice.bad{border-color:color-mix(in srgb,var(--error) 40%,var(--surface));background:var(--error-surface)}
.notice.bad>.icon{color:var(--error)}
.panel{margin-bottom:1.5rem;border:1px solid var(--hairline);border-radius:.75rem;background:var(--surface);box-shadow:var(--shadow)}
.panel>header{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.25rem 1rem;padding:.75rem 1rem;border-bottom:1px solid var(--hairline)}
.panel>header p{flex-basis:100%;color:var(--muted);font-size:.8125rem}
.panel>footer{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.5rem 1rem;padding:.625rem 1rem;border-top:1px solid var(--hairline);color:var(--muted);font-size:.8125rem}
.inside{padding:1rem}
.inside>.field:last-child{margin:0}
.inside>*+p{margin-top:.75rem}
.panel.danger{border-color:color-mix(in srgb,var(--error) 40%,var(--surface))}
.rows>li{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem .875rem;padding:.75rem 1rem}
.rows>li+li{border-top:1px solid var(--hairline)}
.rows>li>.grow{flex:1 1 9rem;min-width:0}
.rows small,.who small{display:block;color:var(--muted)}
.rows>li>:is(.button,.state,.quiet,form),.rows .buttons{margin-inline-start:auto}
.rows>li>.icon{color:var(--muted)}
.icon.bad{color:var(--error)!important}
.icon.warn{color:var(--warn)!important}
.facts>div{display:grid;grid-template-columns:minmax(7rem,11rem) minmax(0,1fr);gap:.125rem 1rem;padding:.5rem 1rem}
.facts>div:first-child{padding-top:.75rem}
.facts>div:last-child{padding-bottom:.75rem}
.facts dt{color:var(--muted)}
.facts dd{overflow-wrap:anywhere}
:is(.facts.above,aside .facts)>div{grid-template-columns:1fr}
:is(.facts.above,aside .facts) dt{font-size:.8125rem}
.address{overflow-wrap:anywhere}
details.more>summary{display:inline-flex;align-items:center;gap:.375rem;min-height:2.25rem;color:var(--accent-ink);font-weight:500;list-style:none}
details.more>summary:before,.pick>summary:after{content:"";width:.4rem;height:.4rem;margin-inline-end:.25rem;border:solid currentColor;border-width:0 2px 2px 0;transform:rotate(-45deg)}
[dir=rtl] details.more>summary:before{transform:rotate(135deg)}
details.more[open]>summary:before{transform:rotate(45deg)}
.pick{position:relative}
.pick>summary{list-style:none}
.pick>summary:after{margin:-.25rem 0 0 .125rem;transform:rotate(45deg)}
summary::-webkit-details-marker{display:none}
.pick>:not(summary){position:absolute;z-index:3;inset-inline-end:0;top:calc(100% + .25rem);min-width:14rem;width:max-content;max-width:calc(100vw - 2rem);padding:.375rem;border:1px solid var(--hairline);border-radius:.75rem;background:var(--surface);box-shadow:var(--lifted)}
.chips .pick>:not(summary){inset-inline:0 auto;max-height:60vh;overflow:auto}
.pick li a{display:flex;justify-content:space-between;gap:1rem;padding:.375rem .625rem;border-radius:.375rem;color:var(--text);text-decoration:none}
.pick li a:hover{background:var(--sunken)}
.pick li a.red{color:var(--error)}
pre{padding:.75rem .875rem;border:1px solid var(--hairline);border-radius:.5rem;background:var(--sunken);line-height:1.6;white-space:pre-wrap;overflow-wrap:anywhere}
.up{margin-top:.75rem}
.down{margin-bottom:1rem}
.top{display:flex;align-items:center;gap:.75rem;padding:.5rem 1rem;border-bottom:1px solid var(--hairline);background:var(--surface)}
.brand{display:flex;align-items:center;gap:.625rem;color:var(--text);font-weight:600;text-decoration:none}
.mine{display:flex;align-items:center;gap:.5rem;margin-inline-start:auto}
.mine .face{width:1.75rem;height:1.75rem;font-size:.6875rem}
.side h2{margin:1.25rem 0 .25rem;padding:0 .625rem;color:var(--muted);font-size:.75rem;font-weight:600}
.side li a{display:flex;align-items:center;gap:.625rem;min-height:2rem;padding:.25rem .625rem;border-radius:.5rem;color:var(--text);font-weight:500;text-decoration:none}
.side li a:hover{background:var(--sunken)}
.side li .icon{color:var(--muted)}
.side a[aria-current]{background:var(--accent-surface);color:var(--accent-ink)}
.side a[aria-current] .icon{color:inherit}
.title{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:.75rem 1.5rem;margin-bottom:1.25rem}
.title>div:first-child{display:flex;align-items:center;gap:.875rem;min-width:0}
.title h1{overflow-wrap:anywhere}
.heading{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem .625rem}
.title p{margin-top:.125rem;color:var(--muted)}
.count{color:var(--muted);font-size:1.5rem;line-height:1.25;font-variant-numeric:tabular-nums}
.two{display:grid;gap:0 1.5rem;align-items:start}
.two>*{min-width:0}
@media(max-width:47.99rem){
.facts>div{grid-template-columns:1fr}
.mine .nowrap{display:none}
.title .buttons{width:100%}
.pick{position:static}
.pick>:not(summary),.chips .pick>:not(summary){inset-inline:1rem;width:auto;top:auto;margin-top:.25rem}
}
@media(min-width:60rem){
.two{grid-template-columns:minmax(0,1fr) clamp(14rem,24vw,20rem);grid-template-rows:auto 1fr}
.two>aside{grid-column:2;grid-row:1/span 2}
.two.even{grid-template-rows:auto;grid-template-columns:repeat(2,minmax(0,1fr))}
}
@media(pointer:coarse){.chip,.small{min-height:2.25rem}button,.button,.side li a{min-height:2.75rem}}
@media(forced-colors:active){.state,.chip[aria-current],.side a[aria-current]{border:1px solid}}
@media print{.side,.top,.buttons,footer{display:none!important}.panel{box-shadow:none}}
`
