function i(a,e={},...n){let t=document.createElement(a);for(let[c,r]of Object.entries(e))r!==void 0&&r!==!1&&t.setAttribute(c,r===!0?"":String(r));return t.append(
...n),t}var C={quote:["name",["phone","email","bedrooms","bathrooms"],"service","notes","communicationsConsent"],support:["name",["phone","email"],"helpWith","message"]},
S={tag:"input",needs:new RegExp("\\p{N}|studio","iu"),isCount:!0},q=new RegExp("^(?=(?:\\P{Nd}*\\p{Nd}){10})(?:tel:)?\\P{L}*$","iu"),g={name:{tag:"input",autocomplete:"\
name",most:200},phone:{tag:"input",type:"tel",autocomplete:"tel",needs:q},email:{tag:"input",type:"email",autocomplete:"email",needs:/.[@＠]./},bedrooms:S,bathrooms:S,
service:{tag:"select"},notes:{tag:"textarea",most:5e3},communicationsConsent:{tag:"input",type:"checkbox"},helpWith:{tag:"input",most:100},message:{tag:"textare\
a",most:5e3}};function v(a){return a.replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu,"").trim()}function A(a){return a.
replace(/^(?:an? )?studio(?: apartment)?$/i,"0").replace(/\s*b(?:ed(?:room)?|ath(?:room)?|[adr])s?\.?$/i,"").replace(/\s*(?:½|\b1\/2)$/,".5").replace(/^\./,"0.").
replace(",",".").replace(/\.0+$/,"").replace(/\s+\+$/,"+")}async function k(a,e){let{baseUrl:n}=deployment,t=new AbortController,c=setTimeout(()=>t.abort(),2e4);try{let r=await fetch(`${n}/api/v1/leads`,{method:"POST",headers:{
"Content-Type":"application/json",...e},body:JSON.stringify(a),signal:t.signal}),o=await r.json(),s=(o?.errors??[]).map(({pointer:u,code:p})=>({name:u.slice(2),
code:p})),{id:l,retryable:d}=o??{};return{status:r.status,seconds:Number(r.headers.get("Retry-After")),id:l,retryable:d,faults:s}}catch(r){let o=`If the service\
 runs, add ${self.origin} to its CORS_ORIGINS. "null" cannot be added: use a web server.`;console.warn(`lead-form: no answer from ${n}. ${o} See ${n}/website-fo\
rms#steps`,r);return}finally{clearTimeout(c)}}var x={"quote.title":"Ask for a quote","quote.send":"Ask for a quote","quote.thanks":"Thank you. We have your request.","support.title":"Write to us","support.s\
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
ere, please %contact%."};function N(a,e,n){let t=x,c="en";try{e&&(t={...x,...JSON.parse(e)}),e&&n&&(c=Intl.getCanonicalLocales(n)[0]??c)}catch(m){console.warn('lead-form: "texts" is not\
 JSON, or "lang" is no language.',m)}let{baseUrl:r,phone:o,phoneUri:s,email:l,emailUri:d}=deployment,u={phone:()=>s?i("a",{href:s},o):o,email:()=>i("a",{href:d},
l),terms:()=>i("a",{href:`${r}/terms`,...$},t.terms),privacy:()=>i("a",{href:`${r}/privacy`,...$},t.privacy),agents:()=>i("a",{href:`${r}/llms.txt`},t.agents),contact:()=>p(
"contact"),last:()=>t[a==="quote"?"notes":"message"],send:()=>t[`${a}.send`]};function p(m,b={}){return t[m].split(/%(\w+)%/).flatMap((y,L)=>L%2===0?y:b[y]??u[y]?.()??
"")}return{texts:t,lang:c,write:p,number:(m,b)=>m.toLocaleString(c,b)}}var $={target:"_blank",rel:"noopener"};function F(a,e,n){let{texts:t,write:c}=e,r=[],o=f=>{let y=H(a,f,e);return f==="service"&&y.control.append(...K(n,t["service.choose"])),r.push(y),y.element},s=i(
"input",{tabindex:-1,autocomplete:"off","data-trap":!0}),l=i("fieldset",{},i("p",{class:"help"},t.required),...C[a].map(f=>typeof f=="string"?o(f):i("div",{class:"\
pair"},...f.map(o))),i("div",{class:"trap","aria-hidden":"true"},i("label",{},"Leave this empty ",s)),i("p",{class:"help"},...c("small"))),d=i("p",{class:"messa\
ge"}),u=i("p",{class:"message",role:"alert"}),p=i("p",{class:"message good",role:"status"}),h=i("button",{type:"submit"},t[`${a}.send`]),m=i("span",{class:"help"});
return{form:i("form",{"aria-label":t[`${a}.title`],novalidate:!0},l,d,u,p,i("p",{},h,m),i("p",{class:"help"},...c("rather"))),fields:r,fieldset:l,trap:s,marked:d,
alert:u,status:p,button:h,countdown:m}}function H(a,e,{texts:n}){let{tag:t,type:c,autocomplete:r="off"}=g[e],o=`${a}-${e}`,s=n[`${e}.help`],l=i(t,{id:o,name:e,type:c,
required:`${e}.ask`in n,autocomplete:t==="input"&&r,"aria-describedby":s?`${o}-help ${o}-fault`:`${o}-fault`}),d=i("p",{class:"fault",id:`${o}-fault`}),u=s?[i("\
p",{class:"help",id:`${o}-help`},s)]:[];if(e!=="communicationsConsent"){let m=i("label",{for:o},n[e]);return{name:e,control:l,fault:d,element:i("div",{class:"fi\
eld"},m,l,...u,d)}}let p=n["consent-version"]===deployment.wordingVersion&&n.consent,h=p?i("label",{for:o},p):i("label",{for:o,lang:"en",dir:"ltr"},deployment.wording);
return{name:e,control:l,fault:d,element:i("div",{class:"field consent"},l,h,d)}}function K(a,e){let n=new URLSearchParams(location.search).get("service")?.trim().
toLowerCase();return["",...a].map(t=>i("option",{value:t,selected:t!==""&&t.toLowerCase()===n},t||e))}var D="Regular cleaning, Deep clean, Move-out cleaning, Something else",V=0,w=class{view;host;kind;writer;locale;draft;key=W();consentedAt;refused=new Set;constructor(e){
this.host=e,this.kind=e.getAttribute("kind")==="support"?"support":"quote",this.writer=N(this.kind,e.getAttribute("texts"),e.getAttribute("lang")),this.locale={
lang:this.writer.lang,dir:e.getAttribute("dir")==="rtl"?"rtl":"ltr"};let n=(e.getAttribute("services")?.trim()||D).split(",").map(s=>s.trim());this.view=F(this.
kind,this.writer,n.filter(Boolean));let{form:t,fields:c,button:r}=this.view;Object.assign(t,this.locale),r.addEventListener("click",s=>this.press(s)),t.addEventListener(
"submit",s=>this.press(s)),t.addEventListener("input",({target:s})=>this.onInput(s)),t.addEventListener("change",({target:s})=>{s instanceof HTMLInputElement&&s.
type==="checkbox"&&(this.consentedAt=s.checked?new Date().toISOString():void 0)}),this.draft=`lead-form ${this.kind} ${V++} ${location.pathname}${location.search}`;
let o=_(this.draft);for(let{name:s,control:l}of c)o[s]&&(l.value=o[s])}onInput(e){let{form:n,fields:t,marked:c}=this.view;this.key=W();for(let o of t)o.control===
e&&I(o);n.querySelector("[aria-invalid]")||c.replaceChildren();let r=t.filter(({control:o})=>o.type!=="checkbox");P(this.draft,Object.fromEntries(r.map(({name:o,
control:s})=>[o,s.value])))}async press(e){e.preventDefault();let{button:n,fields:t,fieldset:c,trap:r,marked:o,alert:s,status:l}=this.view;if(n.hasAttribute("ar\
ia-disabled"))return;for(let p of[o,s,l])p.replaceChildren();t.forEach(I);let d=this.findFaults();if(d.length>0)return this.showFaults(d);if(r.value)return this.
say(s,"refused");n.focus(),n.setAttribute("aria-disabled","true"),c.disabled=!0,this.say(l,"sending");let u=await this.send();l.replaceChildren(),c.disabled=!1,
n.removeAttribute("aria-disabled"),this.showAnswer(u)}findFaults(){let{write:e,number:n}=this.writer,t=!1,c=this.view.fields.flatMap(r=>{let{name:o,control:s}=r,
{most:l=Number.POSITIVE_INFINITY,needs:d}=g[o],u=s.matches("[type=checkbox]:not(:checked)")?"":v(s.value),p=[...u].length,h=u===""&&s.required;return t||=h||p>l,
h?{field:r,text:e(`${o}.ask`)}:u&&d&&!d.test(u)?{field:r,text:e(`${o}.wrong`)}:p>l?{field:r,text:e("length",{length:n(p),most:n(l)})}:[]});return t?c:[]}async send(){
let e={};for(let{name:o,control:s}of this.view.fields){let l=v(s.value);l&&(e[o]="isCount"in g[o]?A(l):l)}if(this.kind==="support")return k({...e,formType:"supp\
ort"},{"Idempotency-Key":this.key});let n={consentTimestamp:this.consentedAt,pageUrl:location.protocol.startsWith("http")?location.origin+location.pathname:void 0,
"Consent-Version":deployment.wordingVersion},t=()=>{for(let d of this.refused)n[d]=void 0;let{"Consent-Version":o,...s}=n,l={"Idempotency-Key":this.key,...o&&{"\
Consent-Version":o}};return k({...e,communicationsConsent:!0,...s},l)},c=await t(),r=(c?.faults??[]).map(({name:o})=>o);for(let o of r)o in n&&this.refused.add(
o);return r.length>0&&r.every(o=>o in n)?t():c}showAnswer(e){let{alert:n,fields:t}=this.view,{texts:c,write:r}=this.writer,o=(e?.faults??[]).flatMap(({name:s,code:l})=>{
let d=t.find(p=>p.name===s),u=l.startsWith("invalid")?`${s}.wrong`:l;return d?{field:d,text:r(u in c?u:`${s}.ask`)}:[]});e?e.status<300&&e.id?this.showThanks(e.
id,e.status===201):o.length>0?this.showFaults(o):e.retryable?this.wait(e.seconds||5):this.say(n,"refused"):this.say(n,"away")}showThanks(e,n){P(this.draft,{});let{
texts:t}=this.writer,c=i("h2",{tabindex:-1},t[`${this.kind}.thanks`]),r=i("p",{class:"number"},e),o=i("div",{class:"done",...this.locale},c,i("p",{},t.number),r);
this.view.form.replaceWith(o),c.focus();let s={kind:this.kind,id:e};n&&this.host.dispatchEvent(new CustomEvent("lead-sent",{bubbles:!0,composed:!0,detail:s}))}showFaults(e){
for(let{field:n,text:t}of e)n.fault.replaceChildren(...t),n.control.setAttribute("aria-invalid","true");this.say(this.view.marked,"marked"),this.view.button.scrollIntoView(
{block:"nearest"}),e[0]?.field.control.focus()}say(e,n){e.replaceChildren(...this.writer.write(n))}wait(e){let{alert:n,status:t,button:c,countdown:r}=this.view,
o=Date.now()+e*1e3;this.say(n,"wait"),c.setAttribute("aria-disabled","true");let s=()=>{let l=Math.ceil((o-Date.now())/1e3);if(l>0){let[d,u]=l>120?[Math.ceil(l/
60),"minute"]:[l,"second"],p=this.writer.number(d,{style:"unit",unit:u,unitDisplay:"long"});r.replaceChildren(...this.writer.write("countdown",{left:p})),setTimeout(
s,250)}else{for(let d of[r,n])d.replaceChildren();c.removeAttribute("aria-disabled"),this.say(t,"again")}};s()}};function I({control:a,fault:e}){e.replaceChildren(),
a.removeAttribute("aria-invalid")}function W(){return Array.from(crypto.getRandomValues(new Uint8Array(16))).map(e=>e.toString(16).padStart(2,"0")).join("")}function _(a){
try{return JSON.parse(sessionStorage.getItem(a)??"{}")}catch{return{}}}function P(a,e){try{sessionStorage.setItem(a,JSON.stringify(e))}catch{}}var M=["kind","services","texts","lang","dir"],T=class extends HTMLElement{static observedAttributes=M;connectedCallback(){this.shadowRoot||E(this)}attributeChangedCallback(e,n,t){
this.shadowRoot&&n!==t&&E(this)}};function E(a){let e=a.shadowRoot??U(a);e.querySelector("form, .done")?.remove(),e.append(new w(a).view.form)}function U(a){let e=a.
attachShadow({mode:"open"});if(document.adoptedStyleSheets){let n=new CSSStyleSheet;n.replaceSync(`:host{all:initial!important;display:flow-root!important;width\
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
`),e.adoptedStyleSheets=[n]}else e.append(i("style",{},`:host{all:initial!important;display:flow-root!important;width:100%!important;min-width:min(100%,16em)!im\
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
`));return e}function R(){for(let a of document.querySelectorAll("div[data-lead-form]")){if(a.querySelector("lead-form"))continue;let e=document.createElement("\
lead-form");for(let n of[...M,"scheme"]){let t=a.getAttribute(`data-${n}`)??a.getAttribute(n);t!==null&&e.setAttribute(n,t)}a.replaceChildren(e)}}customElements.
get("lead-form")||customElements.define("lead-form",T);document.readyState==="loading"?document.addEventListener("DOMContentLoaded",R):R();
