function d(c,e={},...t){let s=document.createElement(c);for(let[a,o]of Object.entries(e))o!==void 0&&o!==!1&&s.setAttribute(a,o===!0?"":String(o));return s.append(
...t),s}var k=new Set;function T(c){let e=`lead-form ${c} `,t=e+location.pathname;for(;k.has(t);)t+=" +";return k.add(t),{release:()=>k.delete(t),read:()=>x(()=>JSON.parse(
sessionStorage.getItem(t)??"{}"))??{},write:s=>x(()=>sessionStorage.setItem(t,JSON.stringify(s))),clear:()=>x(()=>{for(let s of Object.keys(sessionStorage))s.startsWith(
e)&&sessionStorage.removeItem(s)})}}function x(c){try{return c()}catch{return}}var I={quote:["name",["phone","email","bedrooms","bathrooms"],"service","notes","communicationsConsent"],support:["name",["phone","email"],"helpWith","message"]},
F={tag:"input",needs:/[\p{N}s\uff53]/iu},q=new RegExp("^(?!.*x)(?:\\P{Nd}*\\p{Nd}){10}","iu"),b={name:{tag:"input",autocomplete:"name",most:200},phone:{tag:"inp\
ut",type:"tel",autocomplete:"tel",needs:q},email:{tag:"input",type:"email",autocomplete:"email",needs:/.[@＠]./},bedrooms:F,bathrooms:F,service:{tag:"select"},
notes:{tag:"textarea",most:5e3},communicationsConsent:{tag:"input",type:"checkbox"},helpWith:{tag:"input",most:100},message:{tag:"textarea",most:5e3}};function S(c){
return c.replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu,"").trim()}async function C(c,e){let{baseUrl:t}=deployment,s=new AbortController,a=setTimeout(()=>s.abort(),2e4);try{let o=await fetch(`${t}/api/v1/leads`,{method:"POST",headers:{
"Content-Type":"application/json",...e},body:JSON.stringify(c),signal:s.signal}),r=await o.json(),n=(r?.errors??[]).map(({pointer:u,code:m})=>({name:u.slice(2),
code:m})),{id:l,retryable:i}=r??{};return{status:o.status,seconds:Number(o.headers.get("Retry-After")),id:l,retryable:i,faults:n}}catch(o){let r=n=>console.warn(
`lead-form: ${n} See ${t}/website-forms#steps`,o);fetch(`${t}/robots.txt`,{mode:"no-cors"}).then(()=>r(`add ${self.origin} to CORS_ORIGINS of ${t}. "null" canno\
t be added: use a web server.
If it is there, a script of this page added credentials to the request, or it took too long.`),()=>r(`${t} is down, or connect-src of this page or an extension \
of the browser blocks it.`));return}finally{clearTimeout(a)}}var A={"quote.title":"Ask for a quote","quote.send":"Ask for a quote","quote.thanks":"Thank you. We have your request.","support.title":"Write to us","support.s\
end":"Send","support.thanks":"Thank you. We have your message.",number:"If you ask about it, please give us this number:",required:"Please fill in every field.",
name:"Name","name.ask":"What is your name?","name.wrong":"Please write your name with letters only.",phone:"Phone","phone.ask":"What is your phone number? Ten d\
igits, starting with the area code.","phone.wrong":"Please check the number. We can call U.S. numbers and others with +1: ten digits. Put an extension into “%la\
st%”. If you have no such number, please %contact%.",email:"E-mail","email.ask":"What is your e-mail address? For example, name@example.com","email.wrong":"Pl\
ease check the address. It should look like name@example.com",bedrooms:"Bedrooms","bedrooms.help":"For example, 3 or 5+. A studio is 0.","bedrooms.ask":"How man\
y bedrooms? For example, 3","bedrooms.wrong":"How many bedrooms? Please write a number, for example 3",bathrooms:"Bathrooms","bathrooms.help":"For example, 2 or\
 2.5","bathrooms.ask":"How many bathrooms? For example, 2.5","bathrooms.wrong":"How many bathrooms? Please write whole or half numbers, for example 2.5",service:"\
Kind of cleaning","service.choose":"Please choose","service.ask":"What kind of cleaning? Please choose one.",notes:"About your home","notes.help":"Pets, parking\
, anything we should know. Please leave out door and alarm codes.","notes.ask":"Please tell us about your home, or write “No further details”.","communicati\
onsConsent.ask":"We need your yes to this before we can contact you. If you would rather not, please %contact%.",helpWith:"What is it about?","helpWith.ask":"Wh\
at is it about? For example, window cleaning",message:"Message","message.ask":"What would you like to tell us?",small:"For adults only. Read our %terms% and %pr\
ivacy%.",terms:"terms",privacy:"how we use your data",contact:"call %phone% or write to %email%",rather:"You can also call %phone% or write to %email%. %agents%",
agents:"For AI agents",sending:"Sending …",marked:"Please look at the fields that are marked above.",refused:"This could not be sent. Please %contact%.",away:"\
We could not be reached. Please check your connection and press the button again. If that does not help, please %contact%.",wait:"We cannot take this yet. What \
you wrote stays here. Please press the button again when the countdown ends.",countdown:"Again in %left%",again:"You can press “%send%” again.",length:"This\
 has %length% characters, but only %most% fit. Please shorten it.",too_long:"This is too long. Please shorten it.",payment_card:"Please leave out card numbers. \
We never need one here.",placeholder:"Please write your own here.",reserved_phone:"This is an example. Please write your own.",reserved_domain:"This is an examp\
le. Please write your own.",unassignable_phone:"Please check the number: it does not look like one in the U.S. or Canada. If yours is from elsewhere, please %co\
ntact%."};function E(c,e,t){let s=A,a="en";try{let h=Object.entries(e?JSON.parse(e):{}).filter(([,f])=>typeof f=="string");s={...A,...Object.fromEntries(h)},e&&t&&(a=Intl.
getCanonicalLocales(t)[0]??a)}catch(h){console.warn('lead-form: "texts" is not JSON, or "lang" is no language.',h)}let{baseUrl:o,phone:r,phoneUri:n,email:l,emailUri:i}=deployment,
u={phone:()=>n?d("a",{href:n},r):r,email:()=>d("a",{href:i},l),terms:()=>d("a",{href:`${o}/terms`,...W},s.terms),privacy:()=>d("a",{href:`${o}/privacy`,...W},s.
privacy),agents:()=>d("a",{href:`${o}/llms.txt`},s.agents),contact:()=>m("contact"),last:()=>s[c==="quote"?"notes":"message"],send:()=>s[`${c}.send`]};function m(h,f={}){
return s[h].split(/%(\w+)%/).flatMap((g,w)=>w%2===0?g:f[g]??u[g]?.()??"")}return{texts:s,lang:a,write:m,number:(h,f)=>h.toLocaleString(a,f)}}var W={target:"_bla\
nk",rel:"noopener"};function $(c,e,t,s){let{texts:a,write:o}=e,r=[],n=g=>{let w=D(c,g,e);return g==="service"&&w.control.append(...H(["",...t],a["service.choose"],s)),r.push(w),w.element},
l=d("input",{tabindex:-1,"data-trap":!0}),i=d("fieldset",{},d("p",{class:"help"},a.required),...I[c].map(g=>typeof g=="string"?n(g):d("div",{class:"pair"},...g.
map(n))),d("div",{class:"trap","aria-hidden":"true"},d("label",{},"Leave this empty ",l)),d("p",{class:"help"},...o("small"))),u=d("p",{class:"message"}),m=d("b\
utton",{type:"submit"},a[`${c}.send`]),p=d("span",{class:"help"}),h=d("form",{"aria-label":a[`${c}.title`],novalidate:!0},i,u,d("p",{},m,p)),f=d("div",{class:"m\
essage",role:"status"});return{frame:d("div",{class:"frame"},h,f,d("p",{class:"help"},...o("rather"))),form:h,fields:r,fieldset:i,trap:l,marked:u,live:f,button:m,
countdown:p}}function D(c,e,{texts:t}){let{tag:s,type:a,autocomplete:o}=b[e],r=`${c}-${e}`,n=t[`${e}.help`],l=d(s,{id:r,name:e,type:a,autocomplete:o,"aria-requi\
red":`${e}.ask`in t&&"true","aria-describedby":n?`${r}-help ${r}-fault`:`${r}-fault`}),i=d("p",{class:"fault",id:`${r}-fault`}),u=n?[d("p",{class:"help",id:`${r}\
-help`},n)]:[],m=(f,y={})=>d("label",{for:r,...y},f);if(e!=="communicationsConsent"){let f=d("div",{class:"field"},m(t[e]),l,...u,i);return{name:e,control:l,fault:i,
element:f}}let p=t["consent-version"]===deployment.wordingVersion&&t.consent,h=p?m(p):m(deployment.wording,{lang:"en",dir:"ltr"});return{name:e,control:l,fault:i,
element:d("div",{class:"field consent"},l,h,i)}}function H(c,e,t){let s=t.trim().toLowerCase();return c.map(a=>d("option",{value:a,selected:a.toLowerCase()===s},
a||e))}var V="Regular cleaning, Deep clean, Move-out cleaning, Something else",v=class{view;host;kind;writer;isSent=!1;draft;key=R();consentedAt;refused=new Set;linked=new URLSearchParams(
location.search).get("service")??"";constructor(e){this.host=e,this.kind=e.getAttribute("kind")==="support"?"support":"quote",this.writer=E(this.kind,e.getAttribute(
"texts"),e.getAttribute("lang"));let t={lang:this.writer.lang,dir:e.getAttribute("dir")==="rtl"?"rtl":"ltr"},s=(e.getAttribute("services")?.trim()||V).split(",").
map(i=>i.trim());this.view=$(this.kind,this.writer,s.filter(Boolean),this.linked);let{frame:a,form:o,fields:r,button:n}=this.view;for(let i of[a,o])Object.assign(
i,t);n.addEventListener("click",i=>this.press(i)),o.addEventListener("submit",i=>this.press(i)),o.addEventListener("input",({target:i})=>this.onInput(i)),this.draft=
T(this.kind);let l=this.draft.read();for(let{name:i,control:u}of r){let{value:m}=u,p=m!==""&&i==="service"&&l.linked!==this.linked;l[i]&&!p&&(u.value=l[i]),u.value||
(u.value=m)}}claim(){this.draft=T(this.kind)}release(){this.draft.release()}onInput(e){let{form:t,fields:s,marked:a,live:o}=this.view;this.key=R(),e instanceof HTMLInputElement&&
e.type==="checkbox"&&(this.consentedAt=e.checked?new Date().toISOString():void 0);for(let n of s.filter(({control:l})=>l===e))o.textContent===n.fault.textContent&&
o.replaceChildren(),P(n);t.querySelector("[aria-invalid]")||a.replaceChildren();let r=Object.fromEntries(s.map(({name:n,control:l})=>[n,l.value]));this.draft.write(
{...r,linked:this.linked})}async press(e){e.preventDefault();let{button:t,fields:s,fieldset:a,trap:o,marked:r,live:n}=this.view;if(t.hasAttribute("aria-disabled"))
return;for(let u of[r,n])u.replaceChildren();n.classList.remove("good"),s.forEach(P);let l=this.findFaults();if(l.length>0)return this.showFaults(l);if(o.value)
return this.say("refused");t.focus(),t.setAttribute("aria-disabled","true"),a.disabled=!0,this.isSent=!0,this.say("sending",!0);let i=await this.send();this.isSent=
!1,a.disabled=!1,t.removeAttribute("aria-disabled"),this.showAnswer(i)}findFaults(){let{write:e,number:t}=this.writer,s=!1,a=this.view.fields.flatMap(o=>{let{name:r,
control:n}=o,{most:l=Number.POSITIVE_INFINITY,needs:i}=b[r],u=n.matches("[type=checkbox]:not(:checked)")?"":S(n.value),m=[...u].length,p=u===""&&n.hasAttribute(
"aria-required");return s||=p||m>l,p?{field:o,text:e(`${r}.ask`)}:u&&i&&!i.test(u)?{field:o,text:e(`${r}.wrong`)}:m>l?{field:o,text:e("length",{length:t(m),most:t(
l)})}:[]});return s?a:[]}async send(){let e={};for(let{name:n,control:l}of this.view.fields){let i=S(l.value);i&&(e[n]=i)}if(this.kind==="support")return C({...e,
formType:"support"},{"Idempotency-Key":this.key});let t={consentTimestamp:this.consentedAt,pageUrl:location.protocol.startsWith("http")?location.origin+location.
pathname:void 0,"Consent-Version":deployment.wordingVersion},s=()=>{for(let u of this.refused)t[u]=void 0;let{"Consent-Version":n,...l}=t,i={"Idempotency-Key":this.
key,...n&&{"Consent-Version":n}};return C({...e,communicationsConsent:!0,...l},i)},a=await s(),o=(a?.faults??[]).map(({name:n})=>n),r=o.filter(n=>Object.keys(t).
includes(n));for(let n of r)this.refused.add(n);return o.length>0&&o.length===r.length?s():a}showAnswer(e){let{fields:t,live:s}=this.view,{texts:a,write:o}=this.
writer,r=(e?.faults??[]).filter(({name:u})=>!this.refused.has(u)),n=u=>typeof a[u]=="string",l=!0,i=r.flatMap(({name:u,code:m})=>{let p=t.find(y=>y.name===u),h=m.
startsWith("invalid")?`${u}.wrong`:m,f=[h,`${u}.ask`].find(n);return l&&=p!==void 0&&(n(h)||/^(invalid|required|consent_required)/.test(m)),p&&f&&m!=="unknown_f\
ield"?{field:p,text:o(f)}:[]});e?e.status<300&&e.id?this.showThanks(e.id,e.status===201):e.retryable?this.wait(e.seconds||5):i.length===0||!l?this.say("refused"):
s.replaceChildren():this.say("away"),i.length>0&&this.showFaults(i)}showThanks(e,t){this.isSent=!0,this.draft.clear();let{texts:s}=this.writer,{frame:a,form:o,live:r}=this.
view,n=d("p",{class:"number",tabindex:-1},e);r.className="",r.replaceChildren(d("h2",{},`${s[`${this.kind}.thanks`]} ${s.number}`)),r.after(n),a.classList.add("\
done"),o.remove(),n.focus();let l={kind:this.kind,id:e};t&&this.host.dispatchEvent(new CustomEvent("lead-sent",{bubbles:!0,composed:!0,detail:l}))}showFaults(e){
let{marked:t,button:s,live:a}=this.view;for(let{field:n,text:l}of e)n.fault.replaceChildren(...l),n.control.setAttribute("aria-invalid","true");let{control:o,fault:r}=e[0].
field;o.matches(":focus")?a.textContent=r.textContent:t.replaceChildren(this.writer.texts.marked),s.scrollIntoView({block:"nearest"}),o.focus()}say(e,t=!1){let{
live:s}=this.view;s.classList.toggle("good",t),s.textContent=d("p",{},...this.writer.write(e)).textContent,t||s.scrollIntoView({block:"nearest"})}wait(e){let{button:t,
countdown:s}=this.view,a=Date.now()+e*1e3;this.say("wait"),t.setAttribute("aria-disabled","true");let o=()=>{let r=Math.ceil((a-Date.now())/1e3);if(r>0){let[n,l]=r>
120?[Math.ceil(r/60),"minute"]:[r,"second"],i=this.writer.number(n,{style:"unit",unit:l,unitDisplay:"long"});s.replaceChildren(...this.writer.write("countdown",
{left:i})),setTimeout(o,250)}else s.replaceChildren(),t.removeAttribute("aria-disabled"),this.say("again",!0)};o()}};function P({control:c,fault:e}){e.replaceChildren(),
c.removeAttribute("aria-invalid")}function R(){return Array.from(crypto.getRandomValues(new Uint8Array(16))).map(e=>e.toString(16).padStart(2,"0")).join("")}var O=["kind","services","texts","lang","dir"],_="keydown keypress keyup mousedown pointerdown touchstart selectstart copy cut paste contextmenu".split(" "),N=class extends HTMLElement{static observedAttributes=O;form;connectedCallback(){
this.form?this.form.claim():this.show()}disconnectedCallback(){this.form?.release()}attributeChangedCallback(e,t,s){this.form&&t!==s&&(e==="kind"||!this.form.isSent)&&
this.show()}show(){this.form?.release();let e=new v(this),{id:t}=this.shadowRoot?.activeElement??{};this.form?this.form.view.frame.replaceWith(e.view.frame):j(this).
append(e.view.frame),this.form=e,t&&e.view.fields.find(({control:s})=>s.id===t)?.control.focus()}};function j(c){let e=c.attachShadow({mode:"open"});for(let t of _)
e.addEventListener(t,U,{passive:!0});if(document.adoptedStyleSheets){let t=new CSSStyleSheet;t.replaceSync(`:host{display:flow-root;width:100%;min-width:min(100\
%,16em);margin-inline:0;margin-block:0 1.5em!important;padding:0!important;border:0!important;box-sizing:border-box!important;background:none!important;font-siz\
e:medium!important;columns:auto!important;float:none!important;transform:none!important;filter:none!important;clip-path:none!important;--scheme: light;--ink-0: \
#16211f;--ground-0: #fff;--accent-0: #0a6657;--on-accent-0: #fff;--wrong-0: #a3170a}:host([scheme=dark]){--scheme: dark;--ink-0: #eef3f1;--ground-0: #1b2422;--a\
ccent-0: #5fd3bd;--on-accent-0: #06201b;--wrong-0: #ff9d92}@media(prefers-color-scheme:dark){:host([scheme=auto]){--scheme: dark;--ink-0: #eef3f1;--ground-0: #1\
b2422;--accent-0: #5fd3bd;--on-accent-0: #06201b;--wrong-0: #ff9d92}}:host([hidden]){display:none!important}*,:before,:after{box-sizing:border-box}.frame{all:in\
itial;box-sizing:border-box;display:block;visibility:inherit;pointer-events:inherit;user-select:text;-webkit-user-select:text;letter-spacing:inherit;word-spacin\
g:inherit;color-scheme:var(--scheme);max-width:var(--lead-form-width, 36em);--ink: var(--lead-form-ink, var(--ink-0));--ground: var(--lead-form-ground, var(--gr\
ound-0));--accent: var(--lead-form-accent, var(--accent-0));--on-accent: var(--lead-form-on-accent, var(--on-accent-0));--wrong: var(--lead-form-wrong, var(--wr\
ong-0));--edge: #75857f;--radius: var(--lead-form-radius, .4em);position:relative;padding:1.25em;border-radius:var(--radius);background:var(--ground);color:var(\
--ink);font:400 max(1em,16px)/1.5 var(--lead-form-font, system-ui, sans-serif);text-align:start;overflow-wrap:anywhere}input,select,option,textarea,button{font:\
inherit;color:inherit;letter-spacing:inherit;word-spacing:inherit}fieldset{border:0;margin:0;padding:0;min-width:0}.pair{display:grid;grid-template-columns:repe\
at(auto-fit,minmax(min(100%,14em),1fr));gap:0 1.25em}.field{margin:0 0 1.1em;min-width:0}label{display:block}.field:not(.consent)>label{font-weight:600}p{margin\
:0 0 1em}.help{opacity:.8;font-size:.9em}.field>p{margin:.2em 0 0}input:not([type=checkbox]),select,textarea{display:block;width:100%;margin:.3em 0 0;padding:.6\
em .7em;border:1px solid var(--edge);border-radius:var(--radius);background:var(--ground)}[type=tel],[type=email]{direction:ltr;text-align:start}textarea{min-he\
ight:7em;resize:vertical}:focus-visible{outline:3px solid var(--ink);outline-offset:2px}[aria-invalid=true]{--edge: var(--wrong);outline-color:var(--wrong)}.fau\
lt{color:var(--wrong);font-weight:600}.consent{display:grid;grid-template-columns:auto 1fr;gap:0 .75em;align-items:start}.consent input{width:1.3em;height:1.3em\
;margin:.15em 0 0;accent-color:var(--accent)}.consent .fault{grid-column:2}.trap{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.me\
ssage{margin:0}.message:not(:empty),.done{padding:.8em 1em;border:1px solid var(--wrong);border-inline-start-width:5px;border-radius:var(--radius)}.message:not(\
:empty){margin:0 0 1em}.message.good:not(:empty),.done{border-color:var(--accent)}button{margin:0;margin-inline-end:.75em;padding:.7em 1.5em;border:2px solid tr\
ansparent;border-radius:var(--radius);background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}button[aria-disabled=true]{background:#5d6b\
67;color:#fff;cursor:default}a{color:inherit;text-decoration:underline}a[href^="tel:"]{white-space:nowrap}.done h2{margin:0 0 .5em;font-size:1.15em;line-height:\
1.3}.number{font-family:ui-monospace,monospace;user-select:all;-webkit-user-select:all}.frame>:last-child{margin:0}@media(forced-colors:active){button[aria-disa\
bled=true]{border-color:GrayText;color:GrayText}}@media print{.frame{padding:0}}
`),e.adoptedStyleSheets=[t]}else e.append(d("style",{},`:host{display:flow-root;width:100%;min-width:min(100%,16em);margin-inline:0;margin-block:0 1.5em!importa\
nt;padding:0!important;border:0!important;box-sizing:border-box!important;background:none!important;font-size:medium!important;columns:auto!important;float:none\
!important;transform:none!important;filter:none!important;clip-path:none!important;--scheme: light;--ink-0: #16211f;--ground-0: #fff;--accent-0: #0a6657;--on-ac\
cent-0: #fff;--wrong-0: #a3170a}:host([scheme=dark]){--scheme: dark;--ink-0: #eef3f1;--ground-0: #1b2422;--accent-0: #5fd3bd;--on-accent-0: #06201b;--wrong-0: #\
ff9d92}@media(prefers-color-scheme:dark){:host([scheme=auto]){--scheme: dark;--ink-0: #eef3f1;--ground-0: #1b2422;--accent-0: #5fd3bd;--on-accent-0: #06201b;--w\
rong-0: #ff9d92}}:host([hidden]){display:none!important}*,:before,:after{box-sizing:border-box}.frame{all:initial;box-sizing:border-box;display:block;visibility\
:inherit;pointer-events:inherit;user-select:text;-webkit-user-select:text;letter-spacing:inherit;word-spacing:inherit;color-scheme:var(--scheme);max-width:var(-\
-lead-form-width, 36em);--ink: var(--lead-form-ink, var(--ink-0));--ground: var(--lead-form-ground, var(--ground-0));--accent: var(--lead-form-accent, var(--acc\
ent-0));--on-accent: var(--lead-form-on-accent, var(--on-accent-0));--wrong: var(--lead-form-wrong, var(--wrong-0));--edge: #75857f;--radius: var(--lead-form-ra\
dius, .4em);position:relative;padding:1.25em;border-radius:var(--radius);background:var(--ground);color:var(--ink);font:400 max(1em,16px)/1.5 var(--lead-form-fo\
nt, system-ui, sans-serif);text-align:start;overflow-wrap:anywhere}input,select,option,textarea,button{font:inherit;color:inherit;letter-spacing:inherit;word-sp\
acing:inherit}fieldset{border:0;margin:0;padding:0;min-width:0}.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,14em),1fr));gap:0 1.25em\
}.field{margin:0 0 1.1em;min-width:0}label{display:block}.field:not(.consent)>label{font-weight:600}p{margin:0 0 1em}.help{opacity:.8;font-size:.9em}.field>p{ma\
rgin:.2em 0 0}input:not([type=checkbox]),select,textarea{display:block;width:100%;margin:.3em 0 0;padding:.6em .7em;border:1px solid var(--edge);border-radius:v\
ar(--radius);background:var(--ground)}[type=tel],[type=email]{direction:ltr;text-align:start}textarea{min-height:7em;resize:vertical}:focus-visible{outline:3px \
solid var(--ink);outline-offset:2px}[aria-invalid=true]{--edge: var(--wrong);outline-color:var(--wrong)}.fault{color:var(--wrong);font-weight:600}.consent{displ\
ay:grid;grid-template-columns:auto 1fr;gap:0 .75em;align-items:start}.consent input{width:1.3em;height:1.3em;margin:.15em 0 0;accent-color:var(--accent)}.consen\
t .fault{grid-column:2}.trap{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.message{margin:0}.message:not(:empty),.done{padding:.8\
em 1em;border:1px solid var(--wrong);border-inline-start-width:5px;border-radius:var(--radius)}.message:not(:empty){margin:0 0 1em}.message.good:not(:empty),.do\
ne{border-color:var(--accent)}button{margin:0;margin-inline-end:.75em;padding:.7em 1.5em;border:2px solid transparent;border-radius:var(--radius);background:var\
(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}button[aria-disabled=true]{background:#5d6b67;color:#fff;cursor:default}a{color:inherit;text-de\
coration:underline}a[href^="tel:"]{white-space:nowrap}.done h2{margin:0 0 .5em;font-size:1.15em;line-height:1.3}.number{font-family:ui-monospace,monospace;user-\
select:all;-webkit-user-select:all}.frame>:last-child{margin:0}@media(forced-colors:active){button[aria-disabled=true]{border-color:GrayText;color:GrayText}}@me\
dia print{.frame{padding:0}}
`));return e}function U(c){/^(Escape|Tab)$/.test(c.key)||c.stopPropagation()}function L(){for(let c of document.querySelectorAll("div[data-lead-form]")){if(c.querySelector(
"lead-form"))continue;let e=document.createElement("lead-form");for(let t of[...O,"scheme"]){let s=c.getAttribute(`data-${t}`)??c.getAttribute(t);s!==null&&e.setAttribute(
t,s)}c.replaceChildren(e)}}function M(){L(),new MutationObserver(L).observe(document,{childList:!0,subtree:!0})}customElements.get("lead-form")||(customElements.
define("lead-form",N),document.readyState==="loading"?document.addEventListener("DOMContentLoaded",M):M());
