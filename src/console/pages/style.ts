/** The style rules of the console, after those of all pages. */
export const CONSOLE_RULES = `
body{display:block;align-content:start;padding:0;background:var(--page)}
.skip{position:absolute;inset-inline-start:-100vw}
.skip:focus{inset-inline-start:.5rem;top:.5rem;padding:.5rem 1rem;background:var(--surface)}
.top{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem;margin:0;padding:.625rem 1rem;border-bottom:1px solid var(--hairline);background:var(--surface)}
.top .brand{display:flex;align-items:center;gap:.625rem;color:var(--text);font-weight:600;text-decoration:none}
.top form{display:flex;flex:1 1 14rem;gap:.5rem;max-width:32rem}
.top input{height:2.75rem;margin:0;font-weight:400}
.top button{flex:none;width:auto;margin:0;font-weight:400;min-height:2.75rem;padding:.375rem .875rem}
.top .who{margin-inline-start:auto;font-size:.875rem;font-weight:400;color:var(--muted)}
.top .who a{color:var(--accent-ink)}
.bar{padding:.25rem .5rem;border-bottom:1px solid var(--hairline);background:var(--surface)}
.bar ul{display:flex;flex-wrap:wrap;margin:0;padding:0;list-style:none}
.bar a{display:inline-grid;place-items:center;min-height:2.75rem;min-width:2.75rem;padding:0 .625rem;color:var(--text);text-decoration:none}
.bar a:hover{text-decoration:underline}
.bar a[aria-current]{color:var(--accent-ink);font-weight:600;box-shadow:inset 0 -2px var(--accent-ink)}
.desk{max-width:70rem;margin:0 auto;padding:1.5rem 1rem 4rem}
.desk a{color:var(--accent-ink)}
.desk a.button{color:var(--text)}
.desk section{margin-top:2rem}
.desk .button,.desk button{width:auto;display:inline-block}
table{width:100%;border-collapse:collapse;background:var(--surface);border:1px solid var(--hairline);border-radius:.625rem}
caption{padding:.375rem 0;text-align:start;font-size:.875rem;color:var(--muted)}
th,td{padding:.625rem .75rem;border-bottom:1px solid var(--hairline);text-align:start;vertical-align:top;font-weight:400}
thead th{font-size:.875rem;font-weight:600;color:var(--muted)}
.facts{display:block;padding:.25rem 0;border:1px solid var(--hairline);border-radius:.625rem;background:var(--surface)}
.facts div{display:grid;grid-template-columns:minmax(8rem,14rem) 1fr;gap:.25rem 1rem;padding:.5rem .875rem}
.facts dt{color:var(--muted)}
.facts dd,.desk td,.desk th{min-width:0;overflow-wrap:anywhere;white-space:pre-line}
.facts dd>ul,td>ul{margin:0;padding-inline-start:1.25rem}
.desk th[scope=row]{min-width:11rem}
.desk .whole{overflow-wrap:break-word}
.facts+table,section+p{margin-top:1rem}
.facts+.empty,.facts+p,table+p,[data-live]+p{margin-top:.75rem}
.empty{padding:.875rem;border:1px dashed var(--line);border-radius:.625rem;color:var(--muted)}
.badge{display:inline-block;padding:0 .5rem;border:1px solid var(--line);border-radius:1rem;font-size:.875rem}
.badge.good:before{content:"\\2713  "}
.badge.bad{border-color:var(--error);color:var(--error)}
.badge.bad:before{content:"!  ";font-weight:700}
.offers{display:flex;flex-wrap:wrap;gap:.75rem;margin:1rem 0 0;padding:0;list-style:none}
.hint{margin:0 0 .375rem;font-size:.875rem;color:var(--muted)}
.row{margin-bottom:1.25rem}
.row input{margin:0}
textarea,select{display:block;width:100%;padding:.625rem .875rem;border:1px solid var(--line);border-radius:.625rem;background:var(--surface);color:inherit;font:inherit}
select{height:3rem}
textarea{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875rem}
.filters{display:grid;grid-template-columns:repeat(auto-fit,minmax(12rem,1fr));gap:0 1rem;margin-bottom:1rem}
table+.filters{margin-top:1.5rem}
.filters .row{display:grid;grid-template:subgrid/minmax(0,1fr);grid-row:span 3}
.filters label{grid-row:1;align-self:end}
.filters input,.filters select,.filters button{grid-row:2}
.filters button{justify-self:start}
.filters .hint{grid-row:3;margin:.375rem 0 0}
.ask{max-width:44rem}
.danger{border-color:var(--error);background:var(--error-surface);color:var(--error);font-weight:600}
.buttons{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem}
.differs{background:var(--error-surface)}
.tabs{display:flex;flex-wrap:wrap;gap:0 1rem;margin:0 0 1rem;padding:0;list-style:none}
.tabs a{display:inline-grid;place-items:center;min-height:2.75rem}
.desk details{margin-top:1rem}
.plots{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(16rem,100%),1fr));gap:1rem;margin-bottom:1rem}
.plot{margin:0;padding:.75rem;border:1px solid var(--hairline);border-radius:.625rem;background:var(--surface)}
.plot svg{display:block;width:100%;height:5rem;margin:.5rem 0}
.plot .hint{margin:0}
.plot .axis{fill:none;stroke:var(--line)}
.plot .v0{fill:var(--accent-ink)}
.plot .v1{fill:var(--error)}
.plot .v2{fill:var(--muted)}
.keys{display:flex;flex-wrap:wrap;gap:0 1rem}
.key{display:inline-block;width:.625rem;height:.625rem;margin-inline-end:.375rem}
.key.v0{background:var(--accent-ink)}
.key.v1{background:var(--error)}
.key.v2{background:var(--muted)}
.top form{position:relative}
.found{position:absolute;z-index:1;inset-inline:0;top:100%;margin:.25rem 0 0;padding:.25rem;border:1px solid var(--line);border-radius:.625rem;background:var(--surface);list-style:none}
.found a{display:block;padding:.625rem;overflow-wrap:anywhere}
.desk .copy{min-height:2rem;margin:0 .5rem;padding:0 .625rem;font-size:.875rem;font-weight:400}
.desk pre+.copy{display:block;margin:-.25rem 0 1.5rem}
.desk .follow{margin-bottom:1rem}
.desk .follow[aria-pressed=true]{border-color:var(--accent-ink)}
.tree,.tree ul{margin:0;padding:0;list-style:none}
.tree li{overflow-wrap:anywhere}
.tree ul{margin-inline-start:.5rem;border-inline-start:1px solid var(--line)}
.tree ul>li{position:relative;padding-block:.25rem;padding-inline:1.25rem 0}
.tree ul>li:before{content:"";position:absolute;inset-inline-start:0;top:1rem;width:.875rem;border-top:1px solid var(--line)}
.result{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem}
.result p{margin:0}
.result button{min-height:2.75rem;margin:0;padding:.375rem .875rem}
@media(max-width:48rem){
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
table,caption,tbody,tr,th[scope=row],td{display:block}
caption{padding:.625rem .75rem}
tr{padding:.5rem 0;border-bottom:1px solid var(--hairline)}
th,td{padding:.25rem .75rem;border:0}
td:before{content:attr(data-label) ": ";color:var(--muted)}
.facts div{grid-template-columns:1fr;gap:0}
}
`
