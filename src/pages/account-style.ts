/** The style rules of the account page, after those of its parts: the body has the class `account`. */
export const ACCOUNT_RULES = `
.account{font-size:.9375rem;overflow-wrap:anywhere}
.account .top{padding:.75rem max(1rem,calc((100% - 62rem)/2))}
.account .frame{max-width:64rem;margin:0 auto;padding:1.25rem 1rem 4rem}
.account .contents{display:none}
.account .panel{scroll-margin-top:1rem}
.account .title{margin:.5rem 0 1.5rem}
.account .panel>header{border:0;padding-bottom:.25rem}
.account .panel>header+.rows>li:first-child{border:0}
.account .brand img{display:block;max-width:12rem;height:2rem;object-fit:contain}
.account .brand{min-width:2.75rem;min-height:2.75rem}
.account .side a{text-decoration:none}
.account>footer{display:flex;flex-wrap:wrap;justify-content:center;gap:0 .25rem;padding:.75rem .5rem;font-size:.875rem}
.account>footer form{display:contents}
.account>footer :is(a,button,summary),.languages span{display:inline-flex;align-items:center;justify-content:center;min-width:2.75rem;min-height:2.75rem;padding:0 .625rem;border:0;background:none;color:var(--muted);font-weight:400;text-decoration:none}
.account>footer :is(a,button):hover{text-decoration:underline}
.account>footer summary:after{content:"▾";margin-inline-start:.375rem}
.account>footer .icon{width:1rem;height:1rem;margin-inline-end:.625rem}
.languages{display:flex;flex-wrap:wrap;justify-content:center;align-items:center}
.languages span{color:var(--text)}
@media(max-width:60rem),(pointer:coarse){.account .small{min-width:2.75rem;min-height:2.75rem}}
@media(min-width:60rem){
.account .frame{display:grid;grid-template-columns:13rem minmax(0,1fr);gap:0 2.5rem;padding-top:2rem}
.account .contents{display:block;position:sticky;top:2rem;align-self:start}
.account .contents h2{display:none}
}
`
