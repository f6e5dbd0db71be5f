/** The style rules of the buttons of providers, in the colours that each of them publishes for its own. */
export const PROVIDER_RULES = `
.provider{display:flex;align-items:center;gap:.75rem;border-color:var(--edge,var(--line));background:var(--face,none);color:var(--ink,var(--text))}
.provider:hover{background:linear-gradient(#7f7f7f1f 0 0) var(--face,transparent)}
.provider span{flex:1}
.provider-mark{flex:none;width:1.25rem;height:1.25rem}
.provider-mark+span{padding-inline-end:clamp(0rem,30vw - 4rem,2rem)}
[data-kind=google]{--face:#fff;--edge:#747775;--ink:#1f1f1f}
[data-kind=microsoft]{--face:#fff;--edge:#8c8c8c;--ink:#5e5e5e}
[data-kind=apple]{--face:#000;--edge:#000;--ink:#fff}
@media(prefers-color-scheme:dark){
[data-kind=google]{--face:#131314;--edge:#8e918f;--ink:#e3e3e3}
[data-kind=microsoft]{--face:#2f2f2f;--ink:#fff}
[data-kind=apple]{--face:#fff;--edge:#fff;--ink:#000}
}
`
