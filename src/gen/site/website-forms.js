function i(r,e={},...t){let n=document.createElement(r);for(let[d,s]of Object.entries(e))s!==void 0&&s!==!1&&n.setAttribute(d,s===!0?"":String(s));return n.append(
...t),n}var S={quote:["name",["phone","email","bedrooms","bathrooms"],"service","notes","communicationsConsent"],support:["name",["phone","email"],"helpWith","message"]},
T={tag:"input",needs:new RegExp("\\p{N}|studio","iu"),isCount:!0},L=new RegExp("^(?=(?:\\P{Nd}*\\p{Nd}){10})(?:tel:)?\\P{L}*$","iu"),y={name:{tag:"input",autocomplete:"\
name",most:200},phone:{tag:"input",type:"tel",autocomplete:"tel",needs:L},email:{tag:"input",type:"email",autocomplete:"email",needs:/.[@＠]./},bedrooms:T,bathrooms:T,
service:{tag:"select"},notes:{tag:"textarea",most:5e3},communicationsConsent:{tag:"input",type:"checkbox"},helpWith:{tag:"input",most:100},message:{tag:"textare\
a",most:5e3}};function w(r){return r.replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu,"").trim()}function C(r){return r.
replace(/^(?:an? )?studio(?: apartment)?$/i,"0").replace(/\s*b(?:ed(?:room)?|ath(?:room)?|[adr])s?\.?$/i,"").replace(/\s*(?:½|\b1\/2)$/,".5").replace(/^\./,"0.").
replace(",",".").replace(/\.0+$/,"").replace(/\s+\+$/,"+")}async function v(r,e){let{baseUrl:t}=deployment,n=new AbortController,d=setTimeout(()=>n.abort(),2e4);try{let s=await fetch(`${t}/api/v1/leads`,{method:"POST",headers:{
"Content-Type":"application/json",...e},body:JSON.stringify(r),signal:n.signal}),o=await s.json(),c=(o?.errors??[]).map(({pointer:u,code:p})=>({name:u.slice(2),
code:p})),{id:l,retryable:a}=o??{};return{status:s.status,seconds:Number(s.headers.get("Retry-After")),id:l,retryable:a,faults:c}}catch(s){let o=self.origin==="\
null"?"A page that was opened as a file, or in a sandbox without allow-same-origin, cannot send. Open it from a web server, whose origin is in CORS_ORIGINS of t\
he service.":`If the service runs, add ${self.origin} to its CORS_ORIGINS and restart it.`;console.warn(`lead-form: No answer from ${t}. ${o} See ${t}/website-f\
orms#steps`,s);return}finally{clearTimeout(d)}}var k={"quote.title":"Ask for a quote","quote.send":"Ask for a quote","quote.thanks":"Thank you. We have your request.","support.title":"Write to us","support.s\
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
rd numbers. We never need one here.",placeholder:"This is an example. Please write your own.",reserved_phone:"This is an example. Please write your own.",reserved_domain:"\
This is an example. Please write your own.",unassignable_phone:"Please check the number: no one in the U.S. or Canada can have this one. If yours is from elsewh\
ere, please %contact%."};function N(r,e,t){let n=k;try{n={...k,...JSON.parse(e??"{}")}}catch(m){console.warn('lead-form: the attribute "texts" is not JSON, so the form is in English.',m)}
let{baseUrl:d,phone:s,phoneUri:o,email:c,emailUri:l}=deployment,a={phone:()=>o?i("a",{href:o},s):s,email:()=>i("a",{href:l},c),terms:()=>i("a",{href:`${d}/terms`,
...A},n.terms),privacy:()=>i("a",{href:`${d}/privacy`,...A},n.privacy),agents:()=>i("a",{href:`${d}/llms.txt`},n.agents),contact:()=>u("contact"),last:()=>n[r===
"quote"?"notes":"message"],send:()=>n[`${r}.send`]};function u(m,f={}){return n[m].split(/%(\w+)%/).flatMap((h,g)=>g%2===0?h:f[h]??a[h]?.()??"")}return{texts:n,
write:u,number:(m,f)=>m.toLocaleString(t,f)}}var A={target:"_blank",rel:"noopener"};function $(r,e,t){let{texts:n,write:d}=e,s=[],o=h=>{let g=O(r,h,e);return h==="service"&&g.control.append(...H(t,n["service.choose"])),s.push(g),g.element},c=i(
"input",{tabindex:-1,autocomplete:"off","data-trap":!0}),l=i("fieldset",{},i("p",{class:"help"},n.required),...S[r].map(h=>typeof h=="string"?o(h):i("div",{class:"\
pair"},...h.map(o))),i("div",{class:"trap","aria-hidden":"true"},i("label",{},"Leave this empty ",c)),i("p",{class:"help"},...d("small"))),a=i("p",{class:"messa\
ge"}),u=i("p",{class:"message",role:"alert"}),p=i("p",{class:"message good",role:"status"}),m=i("button",{type:"submit"},n[`${r}.send`]),f=i("span",{class:"help"});
return{form:i("form",{"aria-label":n[`${r}.title`],novalidate:!0},l,a,u,p,i("p",{},m,f),i("p",{class:"help"},...d("rather"))),fields:s,fieldset:l,trap:c,marked:a,
alert:u,status:p,button:m,countdown:f}}function O(r,e,{texts:t}){let{tag:n,type:d,autocomplete:s="off"}=y[e],o=`${r}-${e}`,c=t[`${e}.help`],l=i(n,{id:o,name:e,type:d,
required:`${e}.ask`in t,autocomplete:n==="input"&&s,"aria-describedby":c?`${o}-help ${o}-fault`:`${o}-fault`}),a=i("p",{class:"fault",id:`${o}-fault`}),u=c?[i("\
p",{class:"help",id:`${o}-help`},c)]:[];if(e!=="communicationsConsent"){let f=i("label",{for:o},t[e]);return{name:e,control:l,fault:a,element:i("div",{class:"fi\
eld"},f,l,...u,a)}}let p=t["consent-version"]===deployment.wordingVersion&&t.consent,m=p?i("label",{for:o},p):i("label",{for:o,lang:"en",dir:"ltr"},deployment.wording);
return{name:e,control:l,fault:a,element:i("div",{class:"field consent"},l,m,a)}}function H(r,e){let t=new URLSearchParams(location.search).get("service")?.trim().
toLowerCase();return["",...r].map(n=>i("option",{value:n,selected:n!==""&&n.toLowerCase()===t},n||e))}var K="Regular cleaning, Deep clean, Move-out cleaning, Something else",D=0,b=class{view;host;kind;writer;locale;draft;key=F();consentedAt;refused=new Set;constructor(e){
this.host=e,this.kind=e.getAttribute("kind")==="support"?"support":"quote";let t=e.getAttribute("texts"),n=t===null?"en":V(e.getAttribute("lang"));this.locale={
lang:n,dir:e.getAttribute("dir")==="rtl"?"rtl":"ltr"},this.writer=N(this.kind,t,n);let d=(e.getAttribute("services")?.trim()||K).split(",").map(a=>a.trim());this.
view=$(this.kind,this.writer,d.filter(Boolean));let{form:s,fields:o,button:c}=this.view;Object.assign(s,this.locale),c.addEventListener("click",a=>this.press(a)),
s.addEventListener("submit",a=>this.press(a)),s.addEventListener("input",({target:a})=>this.onInput(a)),s.addEventListener("change",({target:a})=>{a instanceof HTMLInputElement&&
a.type==="checkbox"&&(this.consentedAt=a.checked?new Date().toISOString():void 0)}),this.draft=`lead-form ${this.kind} ${D++} ${location.pathname}${location.search}`;
let l=_(this.draft);for(let{name:a,control:u}of o)l[a]&&(u.value=l[a])}onInput(e){let{form:t,fields:n,marked:d}=this.view;this.key=F();for(let o of n)o.control===
e&&I(o);t.querySelector("[aria-invalid]")||d.replaceChildren();let s=n.filter(({control:o})=>o.type!=="checkbox");W(this.draft,Object.fromEntries(s.map(({name:o,
control:c})=>[o,c.value])))}async press(e){e.preventDefault();let{button:t,fields:n,fieldset:d,trap:s,marked:o,alert:c,status:l}=this.view;if(t.hasAttribute("ar\
ia-disabled"))return;for(let p of[o,c,l])p.replaceChildren();n.forEach(I);let a=this.findFaults();if(a.length>0)return this.showFaults(a);if(s.value)return this.
say(c,"refused");t.focus(),t.setAttribute("aria-disabled","true"),d.disabled=!0,this.say(l,"sending");let u=await this.send();l.replaceChildren(),d.disabled=!1,
t.removeAttribute("aria-disabled"),this.showAnswer(u)}findFaults(){let{write:e,number:t}=this.writer,n=!1,d=this.view.fields.flatMap(s=>{let{name:o,control:c}=s,
{most:l=Number.POSITIVE_INFINITY,needs:a}=y[o],u=c.matches("[type=checkbox]:not(:checked)")?"":w(c.value),p=[...u].length,m=u===""&&c.required;return n||=m||p>l,
m?{field:s,text:e(`${o}.ask`)}:u&&a&&!a.test(u)?{field:s,text:e(`${o}.wrong`)}:p>l?{field:s,text:e("length",{length:t(p),most:t(l)})}:[]});return n?d:[]}async send(){
let e={};for(let{name:o,control:c}of this.view.fields){let l=w(c.value);l&&(e[o]="isCount"in y[o]?C(l):l)}if(this.kind==="support")return v({...e,formType:"supp\
ort"},{"Idempotency-Key":this.key});let t={consentTimestamp:this.consentedAt,pageUrl:location.protocol.startsWith("http")?location.origin+location.pathname:void 0,
"Consent-Version":deployment.wordingVersion},n=()=>{for(let a of this.refused)t[a]=void 0;let{"Consent-Version":o,...c}=t,l={"Idempotency-Key":this.key,...o&&{"\
Consent-Version":o}};return v({...e,communicationsConsent:!0,...c},l)},d=await n(),s=(d?.faults??[]).map(({name:o})=>o);for(let o of s)o in t&&this.refused.add(
o);return s.length>0&&s.every(o=>o in t)?n():d}showAnswer(e){let{alert:t,fields:n}=this.view,{texts:d,write:s}=this.writer,o=(e?.faults??[]).flatMap(({name:c,code:l})=>{
let a=n.find(p=>p.name===c),u=l.startsWith("invalid")?`${c}.wrong`:l;return a?{field:a,text:s(u in d?u:`${c}.ask`)}:[]});e?e.status<300&&e.id?this.showThanks(e.
id,e.status===201):o.length>0?this.showFaults(o):e.retryable?this.wait(e.seconds||5):this.say(t,"refused"):this.say(t,"away")}showThanks(e,t){W(this.draft,{});let{
texts:n}=this.writer,d=i("h2",{tabindex:-1},n[`${this.kind}.thanks`]),s=i("p",{class:"number"},e),o=i("div",{class:"done",...this.locale},d,i("p",{},n.number),s);
this.view.form.replaceWith(o),d.focus();let c={kind:this.kind,id:e};t&&this.host.dispatchEvent(new CustomEvent("lead-sent",{bubbles:!0,composed:!0,detail:c}))}showFaults(e){
for(let{field:t,text:n}of e)t.fault.replaceChildren(...n),t.control.setAttribute("aria-invalid","true");this.say(this.view.marked,"marked"),this.view.button.scrollIntoView(
{block:"nearest"}),e[0]?.field.control.focus()}say(e,t){e.replaceChildren(...this.writer.write(t))}wait(e){let{alert:t,status:n,button:d,countdown:s}=this.view,
o=Date.now()+e*1e3;this.say(t,"wait"),d.setAttribute("aria-disabled","true");let c=()=>{let l=Math.ceil((o-Date.now())/1e3);if(l>0){let[a,u]=l>120?[Math.ceil(l/
60),"minute"]:[l,"second"],p=this.writer.number(a,{style:"unit",unit:u,unitDisplay:"long"});s.replaceChildren(...this.writer.write("countdown",{left:p})),setTimeout(
c,250)}else{for(let a of[s,t])a.replaceChildren();d.removeAttribute("aria-disabled"),this.say(n,"again")}};c()}};function I({control:r,fault:e}){e.replaceChildren(),
r.removeAttribute("aria-invalid")}function F(){return Array.from(crypto.getRandomValues(new Uint8Array(16))).map(e=>e.toString(16).padStart(2,"0")).join("")}function V(r){
try{return Intl.getCanonicalLocales(r??[])[0]??"en"}catch{return"en"}}function _(r){try{return JSON.parse(sessionStorage.getItem(r)??"{}")}catch{return{}}}function W(r,e){
try{sessionStorage.setItem(r,JSON.stringify(e))}catch{}}var R=["kind","services","texts","lang","dir"],x=class extends HTMLElement{static observedAttributes=R;connectedCallback(){this.shadowRoot||P(this)}attributeChangedCallback(e,t,n){
this.shadowRoot&&t!==n&&P(this)}};function P(r){let e=r.shadowRoot??U(r);e.querySelector("form, .done")?.remove(),e.append(new b(r).view.form)}function U(r){let e=r.
attachShadow({mode:"open"});if(document.adoptedStyleSheets){let t=new CSSStyleSheet;t.replaceSync(`:host{all:initial!important;display:flow-root!important;width\
:100%!important;min-width:min(100%,16em)!important;max-width:var(--lead-form-width, 36em)!important;margin:0 0 1.5em!important;color-scheme:light!important;--in\
k-0: #16211f;--ground-0: #fff;--accent-0: #0a6657;--on-accent-0: #fff;--wrong-0: #a3170a;letter-spacing:inherit!important;word-spacing:inherit!important}:host([\
scheme=dark]){color-scheme:dark!important;--ink-0: #eef3f1;--ground-0: #1b2422;--accent-0: #5fd3bd;--on-accent-0: #06201b;--wrong-0: #ff9d92}@media(prefers-colo\
r-scheme:dark){:host([scheme=auto]){color-scheme:dark!important;--ink-0: #eef3f1;--ground-0: #1b2422;--accent-0: #5fd3bd;--on-accent-0: #06201b;--wrong-0: #ff9d\
92}}:host([hidden]),[hidden]{display:none!important}*,:before,:after{box-sizing:border-box}form,.done{--ink: var(--lead-form-ink, var(--ink-0));--ground: var(--\
lead-form-ground, var(--ground-0));--accent: var(--lead-form-accent, var(--accent-0));--on-accent: var(--lead-form-on-accent, var(--on-accent-0));--wrong: var(-\
-lead-form-wrong, var(--wrong-0));--edge: #75857f;--radius: var(--lead-form-radius, .4em);position:relative;padding:1.25em;border-radius:var(--radius);backgroun\
d:var(--ground);color:var(--ink);font:400 max(1em,16px)/1.5 var(--lead-form-font, system-ui, sans-serif);text-align:start;overflow-wrap:anywhere}input,select,op\
tion,textarea,button{font:inherit;color:inherit;letter-spacing:inherit;word-spacing:inherit}fieldset{border:0;margin:0;padding:0;min-width:0}.pair{display:grid;\
grid-template-columns:repeat(auto-fit,minmax(min(100%,14em),1fr));gap:0 1.25em}.field{margin:0 0 1.1em;min-width:0}label{display:block}.field:not(.consent)>labe\
l{font-weight:600}p{margin:0 0 1em}.help{opacity:.8;font-size:.9em}.field>p{margin:.2em 0 0}input:not([type=checkbox]),select,textarea{display:block;width:100%;\
margin:.3em 0 0;padding:.6em .7em;border:1px solid var(--edge);border-radius:var(--radius);background:var(--ground)}[type=tel],[type=email]{direction:ltr;text-a\
lign:start}textarea{min-height:7em;resize:vertical}:focus-visible{outline:3px solid var(--ink);outline-offset:2px}[aria-invalid=true]{--edge: var(--wrong);outli\
ne-color:var(--wrong)}.fault{color:var(--wrong);font-weight:600}.consent{display:grid;grid-template-columns:auto 1fr;gap:0 .75em;align-items:start}.consent inpu\
t{width:1.3em;height:1.3em;margin:.15em 0 0;accent-color:var(--accent)}.consent .fault{grid-column:2}.trap{position:absolute;width:1px;height:1px;overflow:hidde\
n;clip-path:inset(50%)}.message{margin:0}.message:not(:empty),.done{padding:.8em 1em;border:1px solid var(--wrong);border-inline-start-width:5px;border-radius:v\
ar(--radius)}.message:not(:empty){margin:0 0 1em}.message.good:not(:empty),.done{border-color:var(--accent)}button{margin:0;margin-inline-end:.75em;padding:.7em\
 1.5em;border:2px solid transparent;border-radius:var(--radius);background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}button[aria-disab\
led=true]{background:#5d6b67;color:#fff;cursor:default}a{color:inherit;text-decoration:underline}a[href^="tel:"]{white-space:nowrap}.done h2{margin:0 0 .5em;fon\
t-size:1.15em;line-height:1.3}.number{font-family:ui-monospace,monospace;user-select:all;-webkit-user-select:all}form>:last-child,.done>:last-child{margin:0}@me\
dia(forced-colors:active){button[aria-disabled=true]{border-color:GrayText;color:GrayText}}@media print{form,.done{padding:0}}
`),e.adoptedStyleSheets=[t]}else e.append(i("style",{},`:host{all:initial!important;display:flow-root!important;width:100%!important;min-width:min(100%,16em)!im\
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
`));return e}function E(){for(let r of document.querySelectorAll("div[data-lead-form]")){if(r.querySelector("lead-form"))continue;let e=document.createElement("\
lead-form");for(let t of[...R,"scheme"]){let n=r.getAttribute(`data-${t}`)??r.getAttribute(t);n!==null&&e.setAttribute(t,n)}r.replaceChildren(e)}}customElements.
get("lead-form")||customElements.define("lead-form",x);document.readyState==="loading"?document.addEventListener("DOMContentLoaded",E):E();
