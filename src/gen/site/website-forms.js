function l(n,e={},...t){let o=document.createElement(n);for(let[d,r]of Object.entries(e))r!==void 0&&r!==!1&&o.setAttribute(d,r===!0?"":String(r));return o.append(
...t),o}var b;function A(n){let e=n.attachShadow({mode:"open"});try{b||(b=new CSSStyleSheet,b.replaceSync(`:host{all:initial!important;display:flow-root!importa\
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
`)),e.adoptedStyleSheets=[b]}catch{e.append(l("style",{},`:host{all:initial!important;display:flow-root!important;width:100%!important;min-width:min(100%,16em)!\
important;max-width:var(--lead-form-width, 36em)!important;margin:0 0 1.5em!important;color-scheme:light!important;--ink-0: #16211f;--ground-0: #fff;--accent-0:\
 #0a6657;--on-accent-0: #fff;--wrong-0: #a3170a;letter-spacing:inherit!important;word-spacing:inherit!important}:host([scheme=dark]){color-scheme:dark!important\
;--ink-0: #eef3f1;--ground-0: #1b2422;--accent-0: #5fd3bd;--on-accent-0: #06201b;--wrong-0: #ff9d92}@media(prefers-color-scheme:dark){:host([scheme=auto]){color\
-scheme:dark!important;--ink-0: #eef3f1;--ground-0: #1b2422;--accent-0: #5fd3bd;--on-accent-0: #06201b;--wrong-0: #ff9d92}}:host([hidden]),[hidden]{display:none\
!important}*,:before,:after{box-sizing:border-box}form,.done{--ink: var(--lead-form-ink, var(--ink-0));--ground: var(--lead-form-ground, var(--ground-0));--acce\
nt: var(--lead-form-accent, var(--accent-0));--on-accent: var(--lead-form-on-accent, var(--on-accent-0));--wrong: var(--lead-form-wrong, var(--wrong-0));--edge:\
 #75857f;--radius: var(--lead-form-radius, .4em);position:relative;padding:1.25em;border-radius:var(--radius);background:var(--ground);color:var(--ink);font:400\
 max(1em,16px)/1.5 var(--lead-form-font, system-ui, sans-serif);text-align:start;overflow-wrap:anywhere}input,select,option,textarea,button{font:inherit;color:i\
nherit;letter-spacing:inherit;word-spacing:inherit}fieldset{border:0;margin:0;padding:0;min-width:0}.pair{display:grid;grid-template-columns:repeat(auto-fit,min\
max(min(100%,14em),1fr));gap:0 1.25em}.field{margin:0 0 1.1em;min-width:0}label{display:block}.field:not(.consent)>label{font-weight:600}p{margin:0 0 1em}.help{\
opacity:.8;font-size:.9em}.field>p{margin:.2em 0 0}input:not([type=checkbox]),select,textarea{display:block;width:100%;margin:.3em 0 0;padding:.6em .7em;border:\
1px solid var(--edge);border-radius:var(--radius);background:var(--ground)}[type=tel],[type=email]{direction:ltr;text-align:start}textarea{min-height:7em;resize\
:vertical}:focus-visible{outline:3px solid var(--ink);outline-offset:2px}[aria-invalid=true]{--edge: var(--wrong);outline-color:var(--wrong)}.fault{color:var(--\
wrong);font-weight:600}.consent{display:grid;grid-template-columns:auto 1fr;gap:0 .75em;align-items:start}.consent input{width:1.3em;height:1.3em;margin:.15em 0\
 0;accent-color:var(--accent)}.consent .fault{grid-column:2}.trap{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.message{margin:0}\
.message:not(:empty),.done{padding:.8em 1em;border:1px solid var(--wrong);border-inline-start-width:5px;border-radius:var(--radius)}.message:not(:empty){margin:\
0 0 1em}.message.good:not(:empty),.done{border-color:var(--accent)}button{margin:0;margin-inline-end:.75em;padding:.7em 1.5em;border:2px solid transparent;borde\
r-radius:var(--radius);background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}button[aria-disabled=true]{background:#5d6b67;color:#fff;c\
ursor:default}a{color:inherit;text-decoration:underline}a[href^="tel:"]{white-space:nowrap}.done h2{margin:0 0 .5em;font-size:1.15em;line-height:1.3}.number{fon\
t-family:ui-monospace,monospace;user-select:all;-webkit-user-select:all}form>:last-child,.done>:last-child{margin:0}@media(forced-colors:active){button[aria-dis\
abled=true]{border-color:GrayText;color:GrayText}}@media print{form,.done{padding:0}}
`))}return e}function N(n){let e=`lead-form ${n} ${location.pathname}${location.search}`;return{read(){return v(()=>JSON.parse(sessionStorage.getItem(e)??"{}"))??{}},save:t=>v(
()=>sessionStorage.setItem(e,JSON.stringify(t))),forget:()=>v(()=>sessionStorage.removeItem(e))}}function v(n){try{return n()}catch{return}}var F={quote:["name",["phone","email","bedrooms","bathrooms"],"service","notes","communicationsConsent"],support:["name",["phone","email"],"helpWith","message"]},
g={name:{tag:"input",autocomplete:"name",most:200},phone:{tag:"input",type:"tel",autocomplete:"tel",needs:new RegExp("^(?=(?:\\P{Nd}*\\p{Nd}){10})(?:tel:)?\\P{L}*$",
"iu")},email:{tag:"input",type:"email",autocomplete:"email",needs:/.[@＠]./},bedrooms:{tag:"input",isCount:!0,needs:new RegExp("\\p{N}|studio","iu")},bathrooms:{
tag:"input",isCount:!0,needs:new RegExp("\\p{N}|studio","iu")},service:{tag:"select"},notes:{tag:"textarea",most:5e3},communicationsConsent:{tag:"input",type:"c\
heckbox"},helpWith:{tag:"input",most:100},message:{tag:"textarea",most:5e3}};function k(n){return n.replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu,
"").trim()}function $(n){return n.replace(/^(?:an? )?studio(?: apartment)?$/i,"0").replace(/\s*b(?:ed(?:room)?|ath(?:room)?|[adr])s?\.?$/i,"").replace(/\s*(?:½|\b1\/2)$/,
".5").replace(/^\./,"0.").replace(",",".").replace(/\.0+$/,"").replace(/\s+\+$/,"+")}var I=n=>n.replace(new RegExp("\\p{Pd}|\\u2212","gu"),"-").replace(/\s+/g,"\
 ");var j={"quote.title":"Ask for a quote","quote.send":"Ask for a quote","quote.thanks":"Thank you. We have your request.","support.title":"Write to us","support.s\
end":"Send","support.thanks":"Thank you. We have your message.",number:"If you ask about it, please give us this number:",required:"Fields with * are required.",
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
ere, please %contact%."},f=(...n)=>console.warn("lead-form:",...n);function R(n){let e={};try{e=JSON.parse(n??"{}")}catch(t){f('the attribute "texts" is not JSO\
N, so the form is in English.',t)}return{...j,...e}}var B=2e4;async function E(n,e,t){let o=new AbortController,d=setTimeout(()=>o.abort(),B);try{let r=await fetch(`${n}/api/v1/leads`,{method:"POST",headers:{"Con\
tent-Type":"application/json",...t},body:JSON.stringify(e),signal:o.signal}),i=await r.json()??{};return{status:r.status,seconds:Number(r.headers.get("Retry-Aft\
er")),body:i}}catch(r){let i=self.origin==="null"?"A page that was opened as a file, or in a sandbox without allow-same-origin, cannot send. Open it from a web \
server, whose origin is in CORS_ORIGINS of the service.":`If the service runs, add ${self.origin} to its CORS_ORIGINS and restart it.`;f(`No answer from ${n}. ${i}\
 See ${n}/website-forms#steps`,r);return}finally{clearTimeout(d)}}function P(){return Array.from(crypto.getRandomValues(new Uint8Array(16))).map(e=>e.toString(16).
padStart(2,"0")).join("")}function W(n,e,t){let{texts:o,write:d}=e,r=[],i=m=>{let{element:D,...S}=J(n,m,e);return r.push({name:m,...S}),m==="service"&&S.control.append(...Y(t,o["service.\
choose"])),D},s=l("input",{tabindex:-1,autocomplete:"off","data-trap":!0}),u=l("fieldset",{},l("p",{class:"help"},o.required),...F[n].map(m=>typeof m=="string"?
i(m):l("div",{class:"pair"},...m.map(i))),l("div",{class:"trap","aria-hidden":"true"},l("label",{},"Leave this empty ",s)),l("p",{class:"help"},...d("small"))),
c=l("p",{class:"message"}),a=l("p",{class:"message",role:"alert"}),p=l("p",{class:"message good",role:"status"}),h=l("button",{type:"submit"},o[`${n}.send`]),y=l(
"span",{class:"help"});return{form:l("form",{"aria-label":o[`${n}.title`],novalidate:!0},u,c,a,p,l("p",{},h,y),l("p",{class:"help"},...d("rather"))),fields:r,fieldset:u,
trap:s,marked:c,alert:a,status:p,button:h,countdown:y}}function J(n,e,{texts:t}){let{tag:o,type:d,autocomplete:r="off",isOptional:i}=g[e],s=`${n}-${e}`,u=t[`${e}\
.help`],c=l(o,{id:s,name:e,type:d,required:!i,autocomplete:o==="input"&&r,"aria-describedby":u?`${s}-help ${s}-fault`:`${s}-fault`}),a=l("p",{class:"fault",id:`${s}\
-fault`});if(e==="communicationsConsent"){let w=t["consent-version"]===deployment.wordingVersion?t.consent:void 0,m=w?l("label",{for:s},w):l("label",{for:s,lang:"\
en",dir:"ltr"},deployment.wording);return{control:c,fault:a,element:l("div",{class:"field consent"},c,m,a)}}let p=i?[]:[" ",l("span",{"aria-hidden":"true"},"*")],
h=l("label",{for:s},t[e],...p),y=u?[l("p",{class:"help",id:`${s}-help`},u),a]:[a];return{control:c,fault:a,element:l("div",{class:"field"},h,c,...y)}}function Y(n,e){
let t=new URLSearchParams(location.search).get("service")?.trim().toLowerCase();return["",...n].map(o=>l("option",{value:o,selected:o!==""&&o.toLowerCase()===t},
o||e))}function L(n,{texts:e},t){let o=l("h2",{tabindex:-1},e[`${n}.thanks`]);return{element:l("div",{class:"done"},o,l("p",{},e.number),l("p",{class:"number"},
t)),title:o}}function M(n,e,t){let o=(i,s,u=!1)=>s?l("a",{href:s,...u&&{target:"_blank",rel:"noopener"}},i):i,d={phone:()=>o(deployment.phone,deployment.phoneUri),email:()=>o(
deployment.email,deployment.emailUri),terms:()=>o(e.terms,`${deployment.baseUrl}/terms`,!0),privacy:()=>o(e.privacy,`${deployment.baseUrl}/privacy`,!0),agents:()=>o(
e.agents,`${deployment.baseUrl}/llms.txt`),contact:()=>r("contact"),last:()=>e[n==="quote"?"notes":"message"],send:()=>e[`${n}.send`]};function r(i,s={}){return e[i].
split(/%(\w+)%/).flatMap((c,a)=>a%2===0?c:s[c]??d[c]?.()??"")}return{texts:e,write:r,number:(i,s)=>i.toLocaleString(t,s)}}function q(n){try{return Intl.getCanonicalLocales(
n??[])[0]??"en"}catch{return"en"}}var O=["consentTimestamp","pageUrl","Consent-Version"],H=["Regular cleaning","Deep clean","Move-out cleaning","Something else"],G=0;function T(n){let e=n.shadowRoot??
A(n);e.querySelector("form, .done")?.remove(),e.append(new x(n).view.form)}var x=class{view;host;kind;writer;locale;draft;key;consentedAt;refused=new Set;constructor(e){
this.host=e;let t=e.getAttribute("kind")??"quote";this.kind=t==="support"?"support":"quote",this.kind!==t&&f(`kind="${t}" is unknown, so this is a quote form. T\
he kinds are "quote" and "support".`);let o=e.getAttribute("texts"),d=o===null?"en":q(e.getAttribute("lang"));this.locale={lang:d,dir:e.getAttribute("dir")==="r\
tl"?"rtl":"ltr"},this.writer=M(this.kind,R(o),d);let r=(e.getAttribute("services")??"").split(",").map(a=>a.trim()).filter(Boolean),i=r.length>0?r:H;this.kind===
"quote"&&i===H&&f(`services="…" is missing, so the form offers: ${i.join(", ")}`),this.view=W(this.kind,this.writer,i);let{form:s,button:u}=this.view;Object.assign(
s,this.locale),u.addEventListener("click",a=>this.press(a)),s.addEventListener("submit",a=>this.press(a)),s.addEventListener("input",({target:a})=>this.onInput(
a)),s.addEventListener("change",({target:a})=>{a instanceof HTMLInputElement&&a.type==="checkbox"&&(this.consentedAt=a.checked?new Date().toISOString():void 0)}),
this.draft=N(`${this.kind} ${G++}`);let c=this.draft.read();for(let{name:a,control:p}of this.typedFields)c[a]&&(p.value=c[a])}get typedFields(){return this.view.
fields.filter(({control:e})=>e.type!=="checkbox")}onInput(e){this.key=void 0;for(let t of this.view.fields)t.control===e&&V(t);this.view.form.querySelector("[ar\
ia-invalid]")||this.view.marked.replaceChildren(),this.draft.save(Object.fromEntries(this.typedFields.map(({name:t,control:o})=>[t,o.value])))}async press(e){e.
preventDefault();let{button:t,fields:o,trap:d,marked:r,alert:i,status:s}=this.view;if(t.hasAttribute("aria-disabled"))return;for(let p of[r,i,s])p.replaceChildren();
o.forEach(V);let u=this.findFaults();if(u.length>0)return this.showFaults(u);if(d.value)return this.say(i,"refused");this.key??=P(),t.focus(),this.enable(!1),this.
say(s,"sending");let c=await this.send(),a=_(c).map(({name:p})=>p);for(let p of a)O.includes(p)&&this.refused.add(p);a.length>0&&a.every(p=>O.includes(p))&&(c=await this.
send()),s.replaceChildren(),this.enable(!0),this.showAnswer(c)}enable(e){this.view.fieldset.disabled=!e,e?this.view.button.removeAttribute("aria-disabled"):this.
view.button.setAttribute("aria-disabled","true")}findFaults(){let{write:e,number:t}=this.writer,o=[],d=this.view.fields.flatMap(r=>{let{name:i,control:s}=r,{most:u=Number.
POSITIVE_INFINITY,needs:c}=g[i],a=s.type==="checkbox"&&!s.checked?"":k(s.value);if(a==="")return s.required?{field:r,text:e(`${i}.ask`)}:[];c&&!c.test(a)&&o.push(
{field:r,text:e(`${i}.wrong`)});let p=[...a].length;return p>u?{field:r,text:e("length",{length:t(p),most:t(u)})}:[]});return d.length>0?this.view.fields.flatMap(
r=>[...d,...o].filter(i=>i.field===r)):[]}readLead(){let e=this.kind==="support"?{formType:"support"}:{};for(let{name:t,control:o}of this.view.fields){let d=k(o.
value);d!==""&&(e[t]=t==="phone"?I(d):"isCount"in g[t]?$(d):d)}return this.kind==="support"||(e.communicationsConsent=!0,this.consentedAt&&!this.refused.has("co\
nsentTimestamp")&&(e.consentTimestamp=this.consentedAt),location.protocol.startsWith("http")&&!this.refused.has("pageUrl")&&(e.pageUrl=location.origin+location.
pathname)),e}send(){let e=this.kind==="quote"&&!this.refused.has("Consent-Version");return E(deployment.baseUrl,this.readLead(),{"Idempotency-Key":this.key??"",
...e&&{"Consent-Version":deployment.wordingVersion}})}showAnswer(e){let{alert:t,fields:o}=this.view,{texts:d,write:r}=this.writer,i=_(e).flatMap(({name:s,code:u})=>{
let c=o.find(h=>h.name===s),p=(u.startsWith("invalid")?[`${s}.wrong`,u]:[u]).find(h=>h in d)??`${s}.ask`;return c?{field:c,text:r(p)}:[]});e?e.status<300&&e.body.
id?this.showThanks(e.body.id,e.status===201):i.length>0?this.showFaults(i):e.body.retryable?this.wait(e.seconds||5):this.say(t,"refused"):this.say(t,"away")}showThanks(e,t){
this.draft.forget();let{element:o,title:d}=L(this.kind,this.writer,e);this.view.form.replaceWith(Object.assign(o,this.locale)),d.focus();let r={kind:this.kind,id:e};
t&&this.host.dispatchEvent(new CustomEvent("lead-sent",{bubbles:!0,composed:!0,detail:r}))}showFaults(e){for(let{field:t,text:o}of e)t.fault.replaceChildren(...o),
t.control.setAttribute("aria-invalid","true");this.say(this.view.marked,"marked"),this.view.button.scrollIntoView({block:"nearest"}),e[0]?.field.control.focus()}say(e,t){
e.replaceChildren(...this.writer.write(t))}wait(e){let{alert:t,status:o,button:d,countdown:r}=this.view,i=Date.now()+e*1e3;this.say(t,"wait"),d.setAttribute("ar\
ia-disabled","true");let s=()=>{let u=Math.ceil((i-Date.now())/1e3);if(u>0){let[c,a]=u>120?[Math.ceil(u/60),"minute"]:[u,"second"],p=this.writer.number(c,{style:"\
unit",unit:a,unitDisplay:"long"});r.replaceChildren(...this.writer.write("countdown",{left:p})),setTimeout(s,250)}else{for(let c of[r,t])c.replaceChildren();d.removeAttribute(
"aria-disabled"),this.say(o,"again")}};s()}};function V({control:n,fault:e}){e.replaceChildren(),n.removeAttribute("aria-invalid")}function _(n){return n?.body.
code==="body_too_large"?["notes","message"].map(e=>({name:e,code:"too_long"})):(n?.body.errors??[]).map(({pointer:e,code:t})=>({name:decodeURIComponent(e.slice(
2)),code:t}))}var U=["kind","services","texts","lang","dir"],C=class extends HTMLElement{static observedAttributes=U;connectedCallback(){this.shadowRoot||T(this)}attributeChangedCallback(e,t,o){
this.shadowRoot&&t!==o&&T(this)}};function K(){for(let n of document.querySelectorAll("div[data-lead-form]")){if(n.querySelector("lead-form"))continue;let e=document.
createElement("lead-form");for(let t of[...U,"scheme"]){let o=n.getAttribute(`data-${t}`)??n.getAttribute(t);o!==null&&e.setAttribute(t,o)}n.replaceChildren(e)}}
customElements.get("lead-form")||customElements.define("lead-form",C);document.readyState==="loading"?document.addEventListener("DOMContentLoaded",K):K();
