function a(o,e={},...t){let n=document.createElement(o);for(let[i,r]of Object.entries(e))r!==void 0&&r!==!1&&n.setAttribute(i,r===!0?"":String(r));return n.append(
...t),n}var g;function A(o){let e=o.attachShadow({mode:"open"});try{g||(g=new CSSStyleSheet,g.replaceSync(`:host{all:initial!important;display:flow-root!importa\
nt;width:100%!important;min-width:min(100%,16em)!important;letter-spacing:inherit!important;word-spacing:inherit!important}:host([hidden]),[hidden]{display:none\
!important}*,:before,:after{box-sizing:border-box}form,.done{--ink: var(--lead-form-ink, #16211f);--soft: var(--lead-form-soft, #4c5a57);--ground: var(--lead-fo\
rm-ground, #fff);--accent: var(--lead-form-accent, #0a6657);--on-accent: var(--lead-form-on-accent, #fff);--wrong: var(--lead-form-wrong, #a3170a);--edge: var(-\
-lead-form-edge, #75857f);--radius: var(--lead-form-radius, .4em);position:relative;max-width:36em;padding:1.25em;border-radius:var(--radius);background:var(--g\
round);color:var(--ink);color-scheme:var(--lead-form-scheme, light);font:400 max(1em,16px)/1.5 var(--lead-form-font, system-ui, sans-serif);text-align:start;ove\
rflow-wrap:anywhere}input,select,option,textarea,button{font:inherit;color:inherit;letter-spacing:inherit;word-spacing:inherit}fieldset{border:0;margin:0;paddin\
g:0;min-width:0}.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,14em),1fr));gap:0 1.25em}.field{margin:0 0 1.1em;min-width:0}label{disp\
lay:block}.field:not(.consent)>label{font-weight:600}p{margin:0 0 1em}.help{color:var(--soft);font-size:.9em}.field>p{margin:.2em 0 0}input:not([type=checkbox])\
,select,textarea{display:block;width:100%;margin:.3em 0 0;padding:.6em .7em;border:1px solid var(--edge);border-radius:var(--radius);background:var(--ground)}[t\
ype=tel],[type=email]{direction:ltr;text-align:start}textarea{min-height:7em;resize:vertical}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}[\
aria-invalid=true]{--edge: var(--wrong);outline-color:var(--wrong)}.fault{color:var(--wrong);font-weight:600}.consent{display:grid;grid-template-columns:auto 1f\
r;gap:0 .75em;align-items:start}.consent input{width:1.3em;height:1.3em;margin:.15em 0 0;accent-color:var(--accent)}.consent .fault{grid-column:2}.trap{position\
:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.message{margin:0}.message:not(:empty),.done{padding:.8em 1em;border:1px solid var(--wrong);\
border-inline-start-width:5px;border-radius:var(--radius)}.message:not(:empty){margin:0 0 1em}.message.good:not(:empty),.done{border-color:var(--accent)}button{\
margin:0;margin-inline-end:.75em;padding:.7em 1.5em;border:2px solid transparent;border-radius:var(--radius);background:var(--accent);color:var(--on-accent);fon\
t-weight:600;cursor:pointer}button[aria-disabled=true]{background:#5d6b67;color:#fff;cursor:default}a{color:var(--accent);text-decoration:underline}a[href^="tel\
:"]{white-space:nowrap}.done h2{margin:0 0 .5em;font-size:1.15em;line-height:1.3}.number{font-family:ui-monospace,monospace;user-select:all;-webkit-user-select:\
all}form>:last-child,.done>:last-child{margin:0}@media(forced-colors:active){button[aria-disabled=true]{border-color:GrayText;color:GrayText}}@media print{form,\
.done{padding:0}}
`)),e.adoptedStyleSheets=[g]}catch{e.append(a("style",{},`:host{all:initial!important;display:flow-root!important;width:100%!important;min-width:min(100%,16em)!\
important;letter-spacing:inherit!important;word-spacing:inherit!important}:host([hidden]),[hidden]{display:none!important}*,:before,:after{box-sizing:border-box\
}form,.done{--ink: var(--lead-form-ink, #16211f);--soft: var(--lead-form-soft, #4c5a57);--ground: var(--lead-form-ground, #fff);--accent: var(--lead-form-accent\
, #0a6657);--on-accent: var(--lead-form-on-accent, #fff);--wrong: var(--lead-form-wrong, #a3170a);--edge: var(--lead-form-edge, #75857f);--radius: var(--lead-fo\
rm-radius, .4em);position:relative;max-width:36em;padding:1.25em;border-radius:var(--radius);background:var(--ground);color:var(--ink);color-scheme:var(--lead-f\
orm-scheme, light);font:400 max(1em,16px)/1.5 var(--lead-form-font, system-ui, sans-serif);text-align:start;overflow-wrap:anywhere}input,select,option,textarea,\
button{font:inherit;color:inherit;letter-spacing:inherit;word-spacing:inherit}fieldset{border:0;margin:0;padding:0;min-width:0}.pair{display:grid;grid-template-\
columns:repeat(auto-fit,minmax(min(100%,14em),1fr));gap:0 1.25em}.field{margin:0 0 1.1em;min-width:0}label{display:block}.field:not(.consent)>label{font-weight:\
600}p{margin:0 0 1em}.help{color:var(--soft);font-size:.9em}.field>p{margin:.2em 0 0}input:not([type=checkbox]),select,textarea{display:block;width:100%;margin:\
.3em 0 0;padding:.6em .7em;border:1px solid var(--edge);border-radius:var(--radius);background:var(--ground)}[type=tel],[type=email]{direction:ltr;text-align:st\
art}textarea{min-height:7em;resize:vertical}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}[aria-invalid=true]{--edge: var(--wrong);outline-c\
olor:var(--wrong)}.fault{color:var(--wrong);font-weight:600}.consent{display:grid;grid-template-columns:auto 1fr;gap:0 .75em;align-items:start}.consent input{wi\
dth:1.3em;height:1.3em;margin:.15em 0 0;accent-color:var(--accent)}.consent .fault{grid-column:2}.trap{position:absolute;width:1px;height:1px;overflow:hidden;cl\
ip-path:inset(50%)}.message{margin:0}.message:not(:empty),.done{padding:.8em 1em;border:1px solid var(--wrong);border-inline-start-width:5px;border-radius:var(-\
-radius)}.message:not(:empty){margin:0 0 1em}.message.good:not(:empty),.done{border-color:var(--accent)}button{margin:0;margin-inline-end:.75em;padding:.7em 1.5\
em;border:2px solid transparent;border-radius:var(--radius);background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}button[aria-disabled=\
true]{background:#5d6b67;color:#fff;cursor:default}a{color:var(--accent);text-decoration:underline}a[href^="tel:"]{white-space:nowrap}.done h2{margin:0 0 .5em;f\
ont-size:1.15em;line-height:1.3}.number{font-family:ui-monospace,monospace;user-select:all;-webkit-user-select:all}form>:last-child,.done>:last-child{margin:0}@\
media(forced-colors:active){button[aria-disabled=true]{border-color:GrayText;color:GrayText}}@media print{form,.done{padding:0}}
`))}return e}function F(o){let e=`lead-form ${o} ${location.pathname}${location.search}`;return{read(){return w(()=>JSON.parse(sessionStorage.getItem(e)??"{}"))??{}},save:t=>w(
()=>sessionStorage.setItem(e,JSON.stringify(t))),forget:()=>w(()=>sessionStorage.removeItem(e))}}function w(o){try{return o()}catch{return}}var N={quote:["name",["phone","email","bedrooms","bathrooms"],"service","notes","communicationsConsent"],support:["name",["phone","email"],"helpWith","message"]},
y={name:{tag:"input",autocomplete:"name",most:200},phone:{tag:"input",type:"tel",autocomplete:"tel"},email:{tag:"input",type:"email",autocomplete:"email"},bedrooms:{
tag:"input",isCount:!0},bathrooms:{tag:"input",isCount:!0},service:{tag:"select"},notes:{tag:"textarea",most:5e3},communicationsConsent:{tag:"input",type:"check\
box"},helpWith:{tag:"input",most:100},message:{tag:"textarea",most:5e3}};function v(o){return o.replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu,
"").trim()}function E(o){return o.replace(/^(?:an? )?studio(?: apartment)?$/i,"0").replace(/\s*b(?:ed(?:room)?|ath(?:room)?|[adr])s?\.?$/i,"").replace(/\s*(?:½|\b1\/2)$/,
".5").replace(/^\./,"0.").replace(",",".").replace(/\.0+$/,"").replace(/\s+\+$/,"+")}var I=o=>o.replace(new RegExp("\\p{Pd}|\\u2212","gu"),"-").replace(/\s+/g,"\
 ");async function R(o,e,t){let n=new AbortController,i=setTimeout(()=>n.abort(),2e4);try{let r=await fetch(`${o}/api/v1/leads`,{method:"POST",headers:{"Content-Typ\
e":"application/json",...t},body:JSON.stringify(e),signal:n.signal}),d=await r.json()??{};return{status:r.status,seconds:Number(r.headers.get("Retry-After")),body:d}}catch(r){
console.warn(`No answer from ${o}. If the service runs, add ${self.origin} to its CORS_ORIGINS.`,r);return}finally{clearTimeout(i)}}function W(){return Array.from(
crypto.getRandomValues(new Uint8Array(16))).map(e=>e.toString(16).padStart(2,"0")).join("")}var U={"quote.title":"Ask for a quote","quote.send":"Ask for a quote","quote.thanks":"Thank you. We have your request.","support.title":"Write to us","support.s\
end":"Send","support.thanks":"Thank you. We have your message.",number:"If you ask about it, please give us this number:",required:"Fields with * are required.",
name:"Name","name.ask":"What is your name?","name.wrong":"Please write your name with letters only.",phone:"Phone","phone.ask":"What is your phone number? Ten d\
igits, starting with the area code.","phone.wrong":"Please check the number. We can call U.S. numbers and others with +1, such as Canada's: ten digits, starting\
 with the area code. Put an extension into “%last%”. If you have no such number, please %contact%.",email:"E-mail","email.ask":"What is your e-mail address?\
 For example, name@example.com","email.wrong":"Please check the address. It should look like name@example.com",bedrooms:"Bedrooms","bedrooms.help":"For example,\
 3 or 5+. A studio is 0.","bedrooms.ask":"How many bedrooms? For example, 3","bedrooms.wrong":"How many bedrooms? Please write a number, for example 3",bathrooms:"\
Bathrooms","bathrooms.help":"For example, 2 or 2.5","bathrooms.ask":"How many bathrooms? For example, 2.5","bathrooms.wrong":"How many bathrooms? Please write w\
hole or half numbers, for example 2.5",service:"Kind of cleaning","service.choose":"Please choose","service.ask":"What kind of cleaning? Please choose one.",notes:"\
About your home","notes.help":"Pets, parking, anything we should know. Please leave out door and alarm codes.","notes.ask":"Please tell us about your home, or w\
rite “No further details”.","communicationsConsent.ask":"We need your yes to this before we can contact you. If you would rather not, please %contact%.",helpWith:"\
What is it about?","helpWith.ask":"What is it about? For example, window cleaning",message:"Message","message.ask":"What would you like to tell us?",small:"For \
adults only. Read our %terms% and %privacy%.",terms:"terms",privacy:"how we use your data",contact:"call %phone% or write to %email%",rather:"Rather not? Call %\
phone% or write to %email%. %agents%",agents:"For AI agents",sending:"Sending …",marked:"Please look at the fields that are marked above.",soon:"One moment, p\
lease, then press the button again.",refused:"Your request could not be sent. Please %contact%.",away:"We could not be reached. Please check your connection and\
 press the button again. If that does not help, please %contact%.",wait:"We cannot take your request yet. What you wrote stays here. Please press the button aga\
in when the countdown ends.",countdown:"Again in %left%",again:"You can press “%send%” again.",length:"This has %length% characters, but only %most% fit. Pl\
ease shorten it.",too_long:"This is too long. Please shorten it.",payment_card:"Please leave out card numbers. We never need one here.",placeholder:"This is an \
example. Please write your own.",reserved_phone:"This is an example. Please write your own.",reserved_domain:"This is an example. Please write your own.",unassignable_phone:"\
Please check the number: no one in the U.S. or Canada can have this one. If yours is from elsewhere, please %contact%."};function P(o){let e={};try{e=JSON.parse(
o??"{}")}catch(t){console.warn('lead-form: the attribute "texts" is not JSON, so the form is in English.',t)}return{...U,...e}}function $(o,e,t){let{texts:n,write:i}=e,r=[],d=h=>{let{element:b,...S}=j(o,h,e);return r.push({name:h,...S}),h==="service"&&S.control.append(...B(t,n["service.\
choose"])),b},l=a("input",{tabindex:-1,autocomplete:"off","data-trap":!0}),s=a("fieldset",{},a("p",{class:"help"},n.required),...N[o].map(h=>typeof h=="string"?
d(h):a("div",{class:"pair"},...h.map(d))),a("div",{class:"trap","aria-hidden":"true"},a("label",{},"Leave this empty ",l)),a("p",{class:"help"},...i("small"))),
c=a("p",{class:"message"}),p=a("p",{class:"message",role:"alert"}),u=a("p",{class:"message good",role:"status"}),m=a("button",{type:"submit"},n[`${o}.send`]),f=a(
"span",{class:"help"});return{form:a("form",{"aria-label":n[`${o}.title`],novalidate:!0},s,c,p,u,a("p",{},m,f),a("p",{class:"help"},...i("rather"))),fields:r,fieldset:s,
trap:l,marked:c,alert:p,status:u,button:m,countdown:f}}function j(o,e,{texts:t}){let{tag:n,type:i,autocomplete:r="off",most:d,isOptional:l}=y[e],s=`${o}-${e}`,c=t[`${e}\
.help`],p=a(n,{id:s,name:e,type:i,required:!l,"data-most":d,autocomplete:n==="input"&&r,"aria-describedby":c?`${s}-help ${s}-fault`:`${s}-fault`}),u=a("p",{class:"\
fault",id:`${s}-fault`});if(e==="communicationsConsent"){let h=t["consent-version"]===deployment.wordingVersion?t.consent:void 0,b=h?a("label",{for:s},h):a("lab\
el",{for:s,lang:"en",dir:"ltr"},deployment.wording);return{control:p,fault:u,element:a("div",{class:"field consent"},p,b,u)}}let m=l?[]:[" ",a("span",{"aria-hid\
den":"true"},"*")],f=a("label",{for:s},t[e],...m),C=c?[a("p",{class:"help",id:`${s}-help`},c),u]:[u];return{control:p,fault:u,element:a("div",{class:"field"},f,
p,...C)}}function B(o,e){let t=new URLSearchParams(location.search).get("service")?.trim().toLowerCase();return["",...o].map(n=>a("option",{value:n,selected:n!==
""&&n.toLowerCase()===t},n||e))}function L(o,{texts:e},t){let n=a("h2",{tabindex:-1},e[`${o}.thanks`]);return{element:a("div",{class:"done"},n,a("p",{},e.number),
a("p",{class:"number"},t)),title:n}}function M(o,e,t){let n=(d,l,s=!1)=>l?a("a",{href:l,...s&&{target:"_blank",rel:"noopener"}},d):d,i={phone:()=>n(deployment.phone,deployment.phoneUri),email:()=>n(
deployment.email,deployment.emailUri),terms:()=>n(e.terms,`${deployment.baseUrl}/terms`,!0),privacy:()=>n(e.privacy,`${deployment.baseUrl}/privacy`,!0),agents:()=>n(
e.agents,`${deployment.baseUrl}/llms.txt`),contact:()=>r("contact"),last:()=>e[o==="quote"?"notes":"message"],send:()=>e[`${o}.send`]};function r(d,l={}){return e[d].
split(/%(\w+)%/).flatMap((c,p)=>p%2===0?c:l[c]??i[c]?.()??"")}return{texts:e,write:r,number:(d,l)=>d.toLocaleString(t,l)}}function q(o){try{return Intl.getCanonicalLocales(
o??[])[0]??"en"}catch{return"en"}}var O=3e3,H=["consentTimestamp","pageUrl","Consent-Version"],J="Regular cleaning, Deep clean, Move-out cleaning, Something else",Y=0;function x(o){let e=o.shadowRoot??
A(o);e.querySelector("form, .done")?.remove(),e.append(new k(o).view.form)}var k=class{view;host;kind;writer;locale;draft;shownAt=Date.now();key;consentedAt;refused=new Set;constructor(e){
this.host=e,this.kind=e.getAttribute("kind")==="support"?"support":"quote";let t=e.getAttribute("texts"),n=t===null?"en":q(e.getAttribute("lang"));this.locale={
lang:n,dir:e.getAttribute("dir")==="rtl"?"rtl":"ltr"},this.writer=M(this.kind,P(t),n);let i=(e.getAttribute("services")??J).split(",").map(s=>s.trim());this.view=
$(this.kind,this.writer,i.filter(Boolean));let{form:r,button:d}=this.view;Object.assign(r,this.locale),d.addEventListener("click",s=>this.press(s)),r.addEventListener(
"submit",s=>this.press(s)),r.addEventListener("input",({target:s})=>this.onInput(s)),r.addEventListener("change",({target:s})=>{s instanceof HTMLInputElement&&s.
type==="checkbox"&&(this.consentedAt=s.checked?new Date().toISOString():void 0)}),this.draft=F(`${this.kind} ${Y++}`);let l=this.draft.read();for(let{name:s,control:c}of this.
typedFields)l[s]&&(c.value=l[s])}get typedFields(){return this.view.fields.filter(({control:e})=>e.type!=="checkbox")}onInput(e){this.key=void 0;for(let t of this.
view.fields)t.control===e&&V(t);this.view.form.querySelector("[aria-invalid]")||this.view.marked.replaceChildren(),this.draft.save(Object.fromEntries(this.typedFields.
map(({name:t,control:n})=>[t,n.value])))}async press(e){e.preventDefault();let{button:t,fields:n,trap:i,marked:r,alert:d,status:l}=this.view;if(t.hasAttribute("\
aria-disabled"))return;for(let u of[r,d,l])u.replaceChildren();n.forEach(V);let s=this.findFaults();if(s.length>0)return this.showFaults(s);if(i.value)return this.
say(d,"refused");if(Date.now()-this.shownAt<O)return this.wait(O/1e3,"soon");this.key??=W(),t.focus(),this.enable(!1),this.say(l,"sending");let c=await this.send(),
p=_(c).map(({name:u})=>u);for(let u of p)H.includes(u)&&this.refused.add(u);p.length>0&&p.every(u=>H.includes(u))&&(c=await this.send()),l.replaceChildren(),this.
enable(!0),this.showAnswer(c)}enable(e){this.view.fieldset.disabled=!e,e?this.view.button.removeAttribute("aria-disabled"):this.view.button.setAttribute("aria-d\
isabled","true")}findFaults(){let{write:e,number:t}=this.writer;return this.view.fields.flatMap(n=>{let{name:i,control:r}=n,d=r.type==="checkbox"&&!r.checked?"":
v(r.value);if(d===""&&r.required)return{field:n,text:e(`${i}.ask`)};let[l,s]=[[...d].length,Number(r.dataset.most??Number.POSITIVE_INFINITY)];return l>s?{field:n,
text:e("length",{length:t(l),most:t(s)})}:[]})}readLead(){let e=this.kind==="support"?{formType:"support"}:{};for(let{name:t,control:n}of this.view.fields){let i=v(
n.value);i!==""&&(e[t]=t==="phone"?I(i):"isCount"in y[t]?E(i):i)}return this.kind==="support"||(e.communicationsConsent=!0,this.consentedAt&&!this.refused.has("\
consentTimestamp")&&(e.consentTimestamp=this.consentedAt),location.protocol.startsWith("http")&&!this.refused.has("pageUrl")&&(e.pageUrl=location.origin+location.
pathname)),e}send(){let e=this.kind==="quote"&&!this.refused.has("Consent-Version");return R(deployment.baseUrl,this.readLead(),{"Idempotency-Key":this.key??"",
...e&&{"Consent-Version":deployment.wordingVersion}})}showAnswer(e){let{alert:t,fields:n}=this.view,{texts:i,write:r}=this.writer,d=_(e).flatMap(({name:l,code:s})=>{
let c=n.find(m=>m.name===l),u=(s.startsWith("invalid")?[`${l}.wrong`,s]:[s]).find(m=>m in i)??`${l}.ask`;return c?{field:c,text:r(u)}:[]});e?e.status<300&&e.body.
id?this.showThanks(e.body.id,e.status===201):d.length>0?this.showFaults(d):e.body.retryable?this.wait(e.seconds||5,"wait"):this.say(t,"refused"):this.say(t,"awa\
y")}showThanks(e,t){this.draft.forget();let{element:n,title:i}=L(this.kind,this.writer,e);this.view.form.replaceWith(Object.assign(n,this.locale)),i.focus();let r={
kind:this.kind,id:e};t&&this.host.dispatchEvent(new CustomEvent("lead-sent",{bubbles:!0,composed:!0,detail:r}))}showFaults(e){for(let{field:t,text:n}of e)t.fault.
replaceChildren(...n),t.control.setAttribute("aria-invalid","true");this.say(this.view.marked,"marked"),this.view.button.scrollIntoView({block:"nearest"}),e[0]?.
field.control.focus()}say(e,t){e.replaceChildren(...this.writer.write(t))}wait(e,t){let{alert:n,status:i,button:r,countdown:d}=this.view,l=Date.now()+e*1e3;this.
say(n,t),r.setAttribute("aria-disabled","true");let s=()=>{let c=Math.ceil((l-Date.now())/1e3);if(c>0){let[p,u]=c>120?[Math.ceil(c/60),"minute"]:[c,"second"],m=this.
writer.number(p,{style:"unit",unit:u,unitDisplay:"long"});d.replaceChildren(...this.writer.write("countdown",{left:m})),setTimeout(s,250)}else{for(let p of[d,n])
p.replaceChildren();r.removeAttribute("aria-disabled"),this.say(i,"again")}};s()}};function V({control:o,fault:e}){e.replaceChildren(),o.removeAttribute("aria-i\
nvalid")}function _(o){return o?.body.code==="body_too_large"?["notes","message"].map(e=>({name:e,code:"too_long"})):(o?.body.errors??[]).map(({pointer:e,code:t})=>({
name:decodeURIComponent(e.slice(2)),code:t}))}var K=["kind","services","texts","lang","dir"],T=class extends HTMLElement{static observedAttributes=K;connectedCallback(){this.shadowRoot||x(this)}attributeChangedCallback(e,t,n){
this.shadowRoot&&t!==n&&x(this)}};function D(){for(let o of document.querySelectorAll("div[data-lead-form]")){if(o.querySelector("lead-form"))continue;let e=document.
createElement("lead-form");for(let t of K){let n=o.getAttribute(`data-${t}`)??o.getAttribute(t);n!==null&&e.setAttribute(t,n)}o.replaceChildren(e)}}customElements.
get("lead-form")||customElements.define("lead-form",T);document.readyState==="loading"?document.addEventListener("DOMContentLoaded",D):D();
