function a(c,e={},...t){let n=document.createElement(c);for(let[l,r]of Object.entries(e))r!==void 0&&r!==!1&&n.setAttribute(l,r===!0?"":String(r));return n.append(
...t),n}var C={quote:["name",["phone","email","bedrooms","bathrooms"],"service","notes","communicationsConsent"],support:["name",["phone","email"],"helpWith","message"]},
A={tag:"input",needs:new RegExp("\\p{N}|studio","iu")},M=new RegExp("(?:\\P{Nd}*\\p{Nd}){10}","u"),b={name:{tag:"input",autocomplete:"name",most:200},phone:{tag:"\
input",type:"tel",autocomplete:"tel",needs:M},email:{tag:"input",type:"email",autocomplete:"email",needs:/.[@＠]./},bedrooms:A,bathrooms:A,service:{tag:"select"},
notes:{tag:"textarea",most:5e3},communicationsConsent:{tag:"input",type:"checkbox"},helpWith:{tag:"input",most:100},message:{tag:"textarea",most:5e3}};function v(c){
return c.replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu,"").trim()}async function k(c,e){let{baseUrl:t}=deployment,n=new AbortController,l=setTimeout(()=>n.abort(),2e4);try{let r=await fetch(`${t}/api/v1/leads`,{method:"POST",headers:{
"Content-Type":"application/json",...e},body:JSON.stringify(c),signal:n.signal}),o=await r.json(),s=(o?.errors??[]).map(({pointer:p,code:u})=>({name:p.slice(2),
code:u})),{id:i,retryable:d}=o??{};return{status:r.status,seconds:Number(r.headers.get("Retry-After")),id:i,retryable:d,faults:s}}catch(r){let o=s=>console.warn(
`lead-form: ${s} See ${t}/website-forms#steps`,r);fetch(`${t}/robots.txt`,{mode:"no-cors"}).then(()=>o(`add ${self.origin} to CORS_ORIGINS of ${t}. "null" canno\
t be added: use a web server.
If it is there, a script of this page added credentials to the request, or it took too long.`),()=>o(`${t} is down, or connect-src of this page or an extension \
of the browser blocks it.`));return}finally{clearTimeout(l)}}var x={"quote.title":"Ask for a quote","quote.send":"Ask for a quote","quote.thanks":"Thank you. We have your request.","support.title":"Write to us","support.s\
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
agents:"For AI agents",sending:"Sending …",marked:"Please look at the fields that are marked above.",refused:"Your request could not be sent. Please %contact%\
.",away:"We could not be reached. Please check your connection and press the button again. If that does not help, please %contact%.",wait:"We cannot take your r\
equest yet. What you wrote stays here. Please press the button again when the countdown ends.",countdown:"Again in %left%",again:"You can press “%send%” again.",
length:"This has %length% characters, but only %most% fit. Please shorten it.",too_long:"This is too long. Please shorten it.",payment_card:"Please leave out ca\
rd numbers. We never need one here.",placeholder:"Please write your own here.",reserved_phone:"This is an example. Please write your own.",reserved_domain:"This\
 is an example. Please write your own.",unassignable_phone:"Please check the number: no one in the U.S. or Canada can have this one. If yours is from elsewhere,\
 please %contact%."};function I(c,e,t){let n=x,l="en";try{e&&(n={...x,...JSON.parse(e)}),e&&t&&(l=Intl.getCanonicalLocales(t)[0]??l)}catch(m){console.warn('lead-form: "texts" is not\
 JSON, or "lang" is no language.',m)}let{baseUrl:r,phone:o,phoneUri:s,email:i,emailUri:d}=deployment,p={phone:()=>s?a("a",{href:s},o):o,email:()=>a("a",{href:d},
i),terms:()=>a("a",{href:`${r}/terms`,...N},n.terms),privacy:()=>a("a",{href:`${r}/privacy`,...N},n.privacy),agents:()=>a("a",{href:`${r}/llms.txt`},n.agents),contact:()=>u(
"contact"),last:()=>n[c==="quote"?"notes":"message"],send:()=>n[`${c}.send`]};function u(m,y={}){return n[m].split(/%(\w+)%/).flatMap((g,R)=>R%2===0?g:y[g]??p[g]?.()??
"")}return{texts:n,lang:l,write:u,number:(m,y)=>m.toLocaleString(l,y)}}var N={target:"_blank",rel:"noopener"};function W(c,e,t){let{texts:n,write:l}=e,r=[],o=f=>{let g=L(c,f,e);return f==="service"&&g.control.append(...O(["",...t],n["service.choose"])),r.push(g),g.element},
s=a("input",{tabindex:-1,autocomplete:"off","data-trap":!0}),i=a("fieldset",{},a("p",{class:"help"},n.required),...C[c].map(f=>typeof f=="string"?o(f):a("div",{
class:"pair"},...f.map(o))),a("div",{class:"trap","aria-hidden":"true"},a("label",{},"Leave this empty ",s)),a("p",{class:"help"},...l("small"))),d=a("p",{class:"\
message"}),p=a("p",{class:"message",role:"alert"}),u=a("p",{class:"message good",role:"status"}),h=a("button",{type:"submit"},n[`${c}.send`]),m=a("span",{class:"\
help"});return{form:a("form",{"aria-label":n[`${c}.title`],novalidate:!0},i,d,p,u,a("p",{},h,m),a("p",{class:"help"},...l("rather"))),fields:r,fieldset:i,trap:s,
marked:d,alert:p,status:u,button:h,countdown:m}}function L(c,e,{texts:t}){let{tag:n,type:l,autocomplete:r="off"}=b[e],o=`${c}-${e}`,s=t[`${e}.help`],i=a(n,{id:o,
name:e,type:l,required:`${e}.ask`in t,autocomplete:n==="input"&&r,"aria-describedby":s?`${o}-help ${o}-fault`:`${o}-fault`}),d=a("p",{class:"fault",id:`${o}-fau\
lt`}),p=s?[a("p",{class:"help",id:`${o}-help`},s)]:[],u=(y,f={})=>a("label",{for:o,...f},y);if(e!=="communicationsConsent"){let y=a("div",{class:"field"},u(t[e]),
i,...p,d);return{name:e,control:i,fault:d,element:y}}let h=t["consent-version"]===deployment.wordingVersion&&t.consent,m=h?u(h):u(deployment.wording,{lang:"en",
dir:"ltr"});return{name:e,control:i,fault:d,element:a("div",{class:"field consent"},i,m,d)}}function O(c,e){let t=new URLSearchParams(location.search).get("serv\
ice")?.trim().toLowerCase();return c.map(n=>a("option",{value:n,selected:n.toLowerCase()===t},n||e))}var H="Regular cleaning, Deep clean, Move-out cleaning, Something else",K=0,w=class{view;host;kind;writer;locale;draft;key=F();consentedAt;refused=new Set;constructor(e){
this.host=e,this.kind=e.getAttribute("kind")==="support"?"support":"quote",this.writer=I(this.kind,e.getAttribute("texts"),e.getAttribute("lang")),this.locale={
lang:this.writer.lang,dir:e.getAttribute("dir")==="rtl"?"rtl":"ltr"};let t=(e.getAttribute("services")?.trim()||H).split(",").map(s=>s.trim());this.view=W(this.
kind,this.writer,t.filter(Boolean));let{form:n,fields:l,button:r}=this.view;Object.assign(n,this.locale),r.addEventListener("click",s=>this.press(s)),n.addEventListener(
"submit",s=>this.press(s)),n.addEventListener("input",({target:s})=>this.onInput(s)),this.draft=`lead-form ${this.kind} ${K++} ${location.pathname}${location.search}`;
let o=T(()=>JSON.parse(sessionStorage.getItem(this.draft)??"{}"))??{};for(let{name:s,control:i}of l)o[s]&&(i.value=o[s])}onInput(e){let{form:t,fields:n,marked:l}=this.
view;this.key=F(),e instanceof HTMLInputElement&&e.type==="checkbox"&&(this.consentedAt=e.checked?new Date().toISOString():void 0);for(let o of n)o.control===e&&
$(o);t.querySelector("[aria-invalid]")||l.replaceChildren();let r=Object.fromEntries(n.map(({name:o,control:s})=>[o,s.value]));T(()=>sessionStorage.setItem(this.
draft,JSON.stringify(r)))}async press(e){e.preventDefault();let{button:t,fields:n,fieldset:l,trap:r,marked:o,alert:s,status:i}=this.view;if(t.hasAttribute("aria\
-disabled"))return;for(let u of[o,s,i])u.replaceChildren();n.forEach($);let d=this.findFaults();if(d.length>0)return this.showFaults(d);if(r.value)return this.say(
s,"refused");t.focus(),t.setAttribute("aria-disabled","true"),l.disabled=!0,this.say(i,"sending");let p=await this.send();i.replaceChildren(),l.disabled=!1,t.removeAttribute(
"aria-disabled"),this.showAnswer(p)}findFaults(){let{write:e,number:t}=this.writer,n=!1,l=this.view.fields.flatMap(r=>{let{name:o,control:s}=r,{most:i=Number.POSITIVE_INFINITY,
needs:d}=b[o],p=s.matches("[type=checkbox]:not(:checked)")?"":v(s.value),u=[...p].length,h=p===""&&s.required;return n||=h||u>i,h?{field:r,text:e(`${o}.ask`)}:p&&
d&&!d.test(p)?{field:r,text:e(`${o}.wrong`)}:u>i?{field:r,text:e("length",{length:t(u),most:t(i)})}:[]});return n?l:[]}async send(){let e={};for(let{name:o,control:s}of this.
view.fields){let i=v(s.value);i&&(e[o]=i)}if(this.kind==="support")return k({...e,formType:"support"},{"Idempotency-Key":this.key});let t={consentTimestamp:this.
consentedAt,pageUrl:location.protocol.startsWith("http")?location.origin+location.pathname:void 0,"Consent-Version":deployment.wordingVersion},n=()=>{for(let d of this.
refused)t[d]=void 0;let{"Consent-Version":o,...s}=t,i={"Idempotency-Key":this.key,...o&&{"Consent-Version":o}};return k({...e,communicationsConsent:!0,...s},i)},
l=await n(),r=(l?.faults??[]).map(({name:o})=>o);for(let o of r)o in t&&this.refused.add(o);return r.length>0&&r.every(o=>o in t)?n():l}showAnswer(e){let{alert:t,
fields:n}=this.view,{texts:l,write:r}=this.writer,o=(e?.faults??[]).flatMap(({name:s,code:i})=>{let d=n.find(u=>u.name===s),p=i.startsWith("invalid")?`${s}.wron\
g`:i;return d?{field:d,text:r(p in l?p:`${s}.ask`)}:[]});e?e.status<300&&e.id?this.showThanks(e.id,e.status===201):o.length>0?this.showFaults(o):e.retryable?this.
wait(e.seconds||5):this.say(t,"refused"):this.say(t,"away")}showThanks(e,t){T(()=>sessionStorage.removeItem(this.draft));let{texts:n,write:l}=this.writer,r=a("h\
2",{tabindex:-1},n[`${this.kind}.thanks`]),o=a("p",{class:"number"},e),s=a("p",{class:"help"},...l("rather")),i=a("div",{class:"done",...this.locale},r,a("p",{},
n.number),o,s);this.view.form.replaceWith(i),r.focus();let d={kind:this.kind,id:e};t&&this.host.dispatchEvent(new CustomEvent("lead-sent",{bubbles:!0,composed:!0,
detail:d}))}showFaults(e){for(let{field:t,text:n}of e)t.fault.replaceChildren(...n),t.control.setAttribute("aria-invalid","true");this.say(this.view.marked,"mar\
ked"),this.view.button.scrollIntoView({block:"nearest"}),e[0]?.field.control.focus()}say(e,t){e.replaceChildren(...this.writer.write(t))}wait(e){let{alert:t,status:n,
button:l,countdown:r}=this.view,o=Date.now()+e*1e3;this.say(t,"wait"),l.setAttribute("aria-disabled","true");let s=()=>{let i=Math.ceil((o-Date.now())/1e3);if(i>
0){let[d,p]=i>120?[Math.ceil(i/60),"minute"]:[i,"second"],u=this.writer.number(d,{style:"unit",unit:p,unitDisplay:"long"});r.replaceChildren(...this.writer.write(
"countdown",{left:u})),setTimeout(s,250)}else{for(let d of[r,t])d.replaceChildren();l.removeAttribute("aria-disabled"),this.say(n,"again")}};s()}};function $({control:c,
fault:e}){e.replaceChildren(),c.removeAttribute("aria-invalid")}function F(){return Array.from(crypto.getRandomValues(new Uint8Array(16))).map(e=>e.toString(16).
padStart(2,"0")).join("")}function T(c){try{return c()}catch{return}}var E=["kind","services","texts","lang","dir"],S=class extends HTMLElement{static observedAttributes=E;connectedCallback(){this.shadowRoot||this.show()}attributeChangedCallback(e,t,n){
this.shadowRoot&&t!==n&&this.show()}show(){let e=this.shadowRoot??V(this);e.querySelector("form, .done")?.remove(),e.append(new w(this).view.form)}};function V(c){
let e=c.attachShadow({mode:"open"});if(document.adoptedStyleSheets){let t=new CSSStyleSheet;t.replaceSync(`:host{all:initial!important;display:flow-root!importa\
nt;width:100%!important;min-width:min(100%,16em)!important;max-width:var(--lead-form-width, 36em)!important;margin:0 0 1.5em!important;color-scheme:light!import\
ant;--ink-0: #16211f;--ground-0: #fff;--accent-0: #0a6657;--on-accent-0: #fff;--wrong-0: #a3170a;letter-spacing:inherit!important;word-spacing:inherit!important\
}:host([scheme=dark]){color-scheme:dark!important;--ink-0: #eef3f1;--ground-0: #1b2422;--accent-0: #5fd3bd;--on-accent-0: #06201b;--wrong-0: #ff9d92}@media(pref\
ers-color-scheme:dark){:host([scheme=auto]){color-scheme:dark!important;--ink-0: #eef3f1;--ground-0: #1b2422;--accent-0: #5fd3bd;--on-accent-0: #06201b;--wrong-\
0: #ff9d92}}:host([hidden]),[hidden]{display:none!important}*,:before,:after{box-sizing:border-box}form,.done{--ink: var(--lead-form-ink, var(--ink-0));--ground\
: var(--lead-form-ground, var(--ground-0));--accent: var(--lead-form-accent, var(--accent-0));--on-accent: var(--lead-form-on-accent, var(--on-accent-0));--wron\
g: var(--lead-form-wrong, var(--wrong-0));--edge: #75857f;--radius: var(--lead-form-radius, .4em);position:relative;padding:1.25em;border-radius:var(--radius);b\
ackground:var(--ground);color:var(--ink);font:400 max(1em,16px)/1.5 var(--lead-form-font, system-ui, sans-serif);text-align:start;overflow-wrap:anywhere}input,s\
elect,option,textarea,button{font:inherit;color:inherit;letter-spacing:inherit;word-spacing:inherit}fieldset{border:0;margin:0;padding:0;min-width:0}.pair{displ\
ay:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,14em),1fr));gap:0 1.25em}.field{margin:0 0 1.1em;min-width:0}label{display:block}.field:not(.conse\
nt)>label{font-weight:600}p{margin:0 0 1em}.help{opacity:.8;font-size:.9em}.field>p{margin:.2em 0 0}input:not([type=checkbox]),select,textarea{display:block;wid\
th:100%;margin:.3em 0 0;padding:.6em .7em;border:1px solid var(--edge);border-radius:var(--radius);background:var(--ground)}[type=tel],[type=email]{direction:lt\
r;text-align:start}textarea{min-height:7em;resize:vertical}:focus-visible{outline:3px solid var(--ink);outline-offset:2px}[aria-invalid=true]{--edge: var(--wron\
g);outline-color:var(--wrong)}.fault{color:var(--wrong);font-weight:600}.consent{display:grid;grid-template-columns:auto 1fr;gap:0 .75em;align-items:start}.cons\
ent input{width:1.3em;height:1.3em;margin:.15em 0 0;accent-color:var(--accent)}.consent .fault{grid-column:2}.trap{position:absolute;width:1px;height:1px;overfl\
ow:hidden;clip-path:inset(50%)}.message{margin:0}.message:not(:empty),.done{padding:.8em 1em;border:1px solid var(--wrong);border-inline-start-width:5px;border-\
radius:var(--radius)}.message:not(:empty){margin:0 0 1em}.message.good:not(:empty),.done{border-color:var(--accent)}button{margin:0;margin-inline-end:.75em;padd\
ing:.7em 1.5em;border:2px solid transparent;border-radius:var(--radius);background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}button[ar\
ia-disabled=true]{background:#5d6b67;color:#fff;cursor:default}a{color:inherit;text-decoration:underline}a[href^="tel:"]{white-space:nowrap}.done h2{margin:0 0 \
.5em;font-size:1.15em;line-height:1.3}.number{font-family:ui-monospace,monospace;user-select:all;-webkit-user-select:all}form>:last-child,.done>:last-child{marg\
in:0}@media(forced-colors:active){button[aria-disabled=true]{border-color:GrayText;color:GrayText}}@media print{form,.done{padding:0}}
`),e.adoptedStyleSheets=[t]}else e.append(a("style",{},`:host{all:initial!important;display:flow-root!important;width:100%!important;min-width:min(100%,16em)!im\
portant;max-width:var(--lead-form-width, 36em)!important;margin:0 0 1.5em!important;color-scheme:light!important;--ink-0: #16211f;--ground-0: #fff;--accent-0: #\
0a6657;--on-accent-0: #fff;--wrong-0: #a3170a;letter-spacing:inherit!important;word-spacing:inherit!important}:host([scheme=dark]){color-scheme:dark!important;-\
-ink-0: #eef3f1;--ground-0: #1b2422;--accent-0: #5fd3bd;--on-accent-0: #06201b;--wrong-0: #ff9d92}@media(prefers-color-scheme:dark){:host([scheme=auto]){color-s\
cheme:dark!important;--ink-0: #eef3f1;--ground-0: #1b2422;--accent-0: #5fd3bd;--on-accent-0: #06201b;--wrong-0: #ff9d92}}:host([hidden]),[hidden]{display:none!i\
mportant}*,:before,:after{box-sizing:border-box}form,.done{--ink: var(--lead-form-ink, var(--ink-0));--ground: var(--lead-form-ground, var(--ground-0));--accent\
: var(--lead-form-accent, var(--accent-0));--on-accent: var(--lead-form-on-accent, var(--on-accent-0));--wrong: var(--lead-form-wrong, var(--wrong-0));--edge: #\
75857f;--radius: var(--lead-form-radius, .4em);position:relative;padding:1.25em;border-radius:var(--radius);background:var(--ground);color:var(--ink);font:400 m\
ax(1em,16px)/1.5 var(--lead-form-font, system-ui, sans-serif);text-align:start;overflow-wrap:anywhere}input,select,option,textarea,button{font:inherit;color:inh\
erit;letter-spacing:inherit;word-spacing:inherit}fieldset{border:0;margin:0;padding:0;min-width:0}.pair{display:grid;grid-template-columns:repeat(auto-fit,minma\
x(min(100%,14em),1fr));gap:0 1.25em}.field{margin:0 0 1.1em;min-width:0}label{display:block}.field:not(.consent)>label{font-weight:600}p{margin:0 0 1em}.help{op\
acity:.8;font-size:.9em}.field>p{margin:.2em 0 0}input:not([type=checkbox]),select,textarea{display:block;width:100%;margin:.3em 0 0;padding:.6em .7em;border:1p\
x solid var(--edge);border-radius:var(--radius);background:var(--ground)}[type=tel],[type=email]{direction:ltr;text-align:start}textarea{min-height:7em;resize:v\
ertical}:focus-visible{outline:3px solid var(--ink);outline-offset:2px}[aria-invalid=true]{--edge: var(--wrong);outline-color:var(--wrong)}.fault{color:var(--wr\
ong);font-weight:600}.consent{display:grid;grid-template-columns:auto 1fr;gap:0 .75em;align-items:start}.consent input{width:1.3em;height:1.3em;margin:.15em 0 0\
;accent-color:var(--accent)}.consent .fault{grid-column:2}.trap{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.message{margin:0}.m\
essage:not(:empty),.done{padding:.8em 1em;border:1px solid var(--wrong);border-inline-start-width:5px;border-radius:var(--radius)}.message:not(:empty){margin:0 \
0 1em}.message.good:not(:empty),.done{border-color:var(--accent)}button{margin:0;margin-inline-end:.75em;padding:.7em 1.5em;border:2px solid transparent;border-\
radius:var(--radius);background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}button[aria-disabled=true]{background:#5d6b67;color:#fff;cur\
sor:default}a{color:inherit;text-decoration:underline}a[href^="tel:"]{white-space:nowrap}.done h2{margin:0 0 .5em;font-size:1.15em;line-height:1.3}.number{font-\
family:ui-monospace,monospace;user-select:all;-webkit-user-select:all}form>:last-child,.done>:last-child{margin:0}@media(forced-colors:active){button[aria-disab\
led=true]{border-color:GrayText;color:GrayText}}@media print{form,.done{padding:0}}
`));return e}function P(){for(let c of document.querySelectorAll("div[data-lead-form]")){if(c.querySelector("lead-form"))continue;let e=document.createElement("\
lead-form");for(let t of[...E,"scheme"]){let n=c.getAttribute(`data-${t}`)??c.getAttribute(t);n!==null&&e.setAttribute(t,n)}c.replaceChildren(e)}}customElements.
get("lead-form")||customElements.define("lead-form",S);document.readyState==="loading"?document.addEventListener("DOMContentLoaded",P):P();
