var v=new Set;function C(c,e=""){let t=`lead-form ${c} `,s=t+location.pathname;for(e.split(" +")[0]===s&&!v.has(e)&&(s=e);v.has(s);)s+=" +";return v.add(s),{name:s,
release:()=>v.delete(s),read:()=>S(()=>JSON.parse(sessionStorage.getItem(s)??"{}"))??{},write:i=>S(()=>sessionStorage.setItem(s,JSON.stringify(i))),clear:()=>S(
()=>{for(let i of Object.keys(sessionStorage))i.startsWith(t)&&sessionStorage.removeItem(i)})}}function S(c){try{return c()}catch{return}}var E={quote:["name",["phone","email","bedrooms","bathrooms"],"service","notes","communicationsConsent"],support:["name",["phone","email"],"helpWith","message"]},
P={tag:"input",pattern:new RegExp("\\p{N}|[s\\uff53].*[t\\uff54].*[u\\uff55]","iu")},K=new RegExp("^(?!.*x)(?:\\P{Nd}*\\p{Nd}){10}","iu"),k={name:{tag:"input",autocomplete:"\
name",maxLength:200},phone:{tag:"input",type:"tel",autocomplete:"tel",pattern:K},email:{tag:"input",type:"email",autocomplete:"email",pattern:/.[@＠%].+[.\u3002\uff0e\uff61]./},
bedrooms:P,bathrooms:P,service:{tag:"select"},notes:{tag:"textarea",maxLength:5e3},communicationsConsent:{tag:"input",type:"checkbox"},helpWith:{tag:"input",maxLength:100},
message:{tag:"textarea",maxLength:5e3}};function A(c){return c.replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu,"").
trim()}async function N(c,e){let{baseUrl:t}=deployment,s=new AbortController,i=setTimeout(()=>s.abort(),2e4);try{let o=await fetch(`${t}/api/v1/leads`,{method:"POST",headers:{
"Content-Type":"application/json",...e},body:JSON.stringify(c),signal:s.signal}),n=await o.json(),r=(n?.errors??[]).map(({pointer:a,code:p})=>({name:a.slice(2),
code:p})),{id:d,retryable:u}=n??{};return{status:o.status,seconds:Number(o.headers.get("Retry-After")),id:d,retryable:u,faults:r}}catch(o){let n=r=>console.warn(
`lead-form: ${r} See ${t}/website-forms#steps`,o);fetch(`${t}/robots.txt`,{mode:"no-cors"}).then(()=>n(`add ${self.origin} to CORS_ORIGINS of ${t}. "null" canno\
t be added: use a web server.
If it is there, a script of this page added credentials to the request, or it took too long.`),()=>n(`${t} is down, or connect-src of this page or an extension \
of the browser blocks it.`));return}finally{clearTimeout(i)}}var I={"quote.title":"Ask for a quote","quote.send":"Ask for a quote","quote.thanks":"Thank you. We have your request.","support.title":"Write to us","support.s\
end":"Send","support.thanks":"Thank you. We have your message.",number:"If you ask about it, please give us this number:",required:"Please fill in every field.",
name:"Name","name.ask":"What is your name?","name.wrong":"Please write your name with letters only.",phone:"Phone","phone.ask":"What is your phone number? Ten d\
igits, starting with the area code.","phone.wrong":"Please check the number. We can call U.S. numbers and others with +1: ten digits. Put an extension or a seco\
nd number into “%last%”. If you have no such number, please %contact%.",email:"E-mail","email.ask":"What is your e-mail address? For example, name@example.c\
om. If you have none, please %contact%.","email.wrong":"Please check the address. It should look like name@example.com. If you have none, please %contact%.",bedrooms:"\
Bedrooms","bedrooms.help":"For example, 3 or 5+. A studio is 0. One form for each home.","bedrooms.ask":"How many bedrooms? A guess will do. For example, 3","be\
drooms.wrong":"How many bedrooms? Please write one number in digits, for example 3. A guess will do.",bathrooms:"Bathrooms","bathrooms.help":"For example, 2 or \
2.5","bathrooms.ask":"How many bathrooms? A guess will do. For example, 2.5","bathrooms.wrong":"How many bathrooms? Please write one number in digits, for examp\
le 2.5. A guess will do.",service:"Kind of cleaning","service.choose":"Please choose","service.ask":"What kind of cleaning? Please choose one.",notes:"About you\
r home","notes.help":"Address, good days, pets, parking. Please leave out door and alarm codes.","notes.ask":"Please tell us about your home, or write “No furth\
er details”.","communicationsConsent.ask":"Please tick this to send the form. If you would rather not, please %contact%.",helpWith:"What is it about?","helpWi\
th.ask":"What is it about? For example, window cleaning",message:"Message","message.ask":"What would you like to tell us?",small:"For adults only. Read our %ter\
ms% and %privacy%.",terms:"terms",privacy:"how we use your data",contact:"call %phone% or write to %email%",rather:"You can also call %phone% or write to %email\
%. %agents%",agents:"For AI agents",sending:"Sending …",marked:"Please look at the fields that are marked above.",refused:"This could not be sent. Please %con\
tact%.",away:"We could not be reached. Please check your connection and press the button again. If that does not help, please %contact%.",wait:"We cannot take t\
his yet. What you wrote stays here. Please press the button again when the countdown ends.",countdown:"Again in %left%",again:"You can press “%send%” again.",
length:"This has %length% characters, but only %most% fit. Please shorten it.",too_long:"This is too long. Please shorten it.",payment_card:"Please leave out ca\
rd numbers. We never need one here.",placeholder:"Please write your own here.",reserved_phone:"This is an example. Please write your own.",reserved_domain:"This\
 is an example. Please write your own.",unassignable_phone:"Please check the number: it does not look like one in the U.S. or Canada. If yours is from elsewhere\
, please %contact%."};function $(c,e,t){let s=I,i="en";try{let m=Object.entries(e?JSON.parse(e):{}).filter(([,f])=>typeof f=="string");s={...I,...Object.fromEntries(m)},e&&t&&(i=Intl.
getCanonicalLocales(t)[0]??i)}catch(m){console.warn('lead-form: "texts" is not JSON, or "lang" is no language.',m)}let{baseUrl:o,phone:n,phoneUri:r,email:d,emailUri:u}=deployment,
a={phone:()=>r?l("a",{href:r},n):n,email:()=>l("a",{href:u},d),terms:()=>l("a",{href:`${o}/terms`,...W},s.terms),privacy:()=>l("a",{href:`${o}/privacy`,...W},s.
privacy),agents:()=>l("a",{href:`${o}/llms.txt`},s.agents),contact:()=>p("contact"),last:()=>s[c==="quote"?"notes":"message"],send:()=>s[`${c}.send`]};function p(m,f={}){
return s[m].split(/%(\w+)%/).flatMap((w,b)=>b%2===0?w:f[w]??a[w]?.()??"")}return{texts:s,lang:i,write:p,number:(m,f)=>m.toLocaleString(i,f)}}var W={target:"_bla\
nk",rel:"noopener"};function l(c,e={},...t){let s=document.createElement(c);for(let[i,o]of Object.entries(e))o!==void 0&&o!==!1&&s.setAttribute(i,o===!0?"":String(
o));return s.append(...t),s}function L(c,e,t,s){let{texts:i,write:o}=e,n=[],r=s.trim().toLowerCase(),d=g=>l("option",{value:g,selected:g.toLowerCase()===r},g||i["service.choose"]),u=g=>{let T=H(
c,g,e);return g==="service"&&T.control.append(...["",...t].map(d)),n.push(T),T.element},a=l("input",{tabindex:-1,"data-trap":!0}),p=l("fieldset",{},l("p",{class:"\
help"},i.required),...E[c].map(g=>typeof g=="string"?u(g):l("div",{class:"pair"},...g.map(u))),l("div",{class:"trap","aria-hidden":"true"},l("label",{},"Leave t\
his empty ",a)),l("p",{class:"help"},...o("small"))),h=l("p",{class:"message"}),m=l("button",{type:"submit"},i[`${c}.send`]),f=l("span",{class:"help"}),y=l("p",
{},m,f),w=l("form",{"aria-label":i[`${c}.title`],novalidate:!0},p,h,y),b=l("div",{class:"message","aria-live":"polite"});return{frame:l("div",{class:"frame"},w,
b,l("p",{class:"help"},...o("rather"))),form:w,fields:n,fieldset:p,trap:a,marked:h,live:b,button:m,countdown:f}}function H(c,e,{texts:t}){let{tag:s,type:i,autocomplete:o}=k[e],
n=`${c}-${e}`,r=t[`${e}.help`],d=l(s,{id:n,name:e,type:i,autocomplete:o,"aria-required":`${e}.ask`in t&&"true","aria-describedby":r?`${n}-help ${n}-fault`:`${n}\
-fault`}),u=l("p",{class:"fault",id:`${n}-fault`}),a=r?[l("p",{class:"help",id:`${n}-help`},r)]:[],p=(f,y={})=>l("label",{for:n,...y},f);if(e!=="communicationsC\
onsent"){let f=l("div",{class:"field"},p(t[e]),d,...a,u);return{name:e,control:d,fault:u,element:f}}let h=t["consent-version"]===deployment.wordingVersion&&t.consent,
m=h?p(h):p(deployment.wording,{lang:"en",dir:"ltr"});return{name:e,control:d,fault:u,element:l("div",{class:"field consent"},d,m,u)}}var _="Regular cleaning, Deep clean, Move-out cleaning, Something else",x=class{view;host;kind;writer;isSent=!1;draft;key=M();consentedAt;refused=new Set;linked=new URLSearchParams(
location.search).get("service")??"";constructor(e,t){this.host=e,this.kind=e.getAttribute("kind")==="support"?"support":"quote",this.writer=$(this.kind,e.getAttribute(
"texts"),e.getAttribute("lang"));let s={lang:this.writer.lang,dir:e.getAttribute("dir")==="rtl"?"rtl":"ltr"},i=(e.getAttribute("services")?.trim()||_).split(",").
map(a=>a.trim());this.view=L(this.kind,this.writer,i.filter(Boolean),this.linked);let{frame:o,form:n,fields:r,button:d}=this.view;for(let a of[o,n])Object.assign(
a,s);d.addEventListener("click",a=>this.press(a)),n.addEventListener("submit",a=>this.press(a)),n.addEventListener("input",({target:a})=>this.onInput(a)),this.draft=
C(this.kind,t?.draft.name);let u=this.draft.read();for(let{name:a,control:p}of r){let{value:h}=p,m=h!==""&&a==="service"&&u.linked!==this.linked;u[a]&&!m&&(p.value=
u[a]),p.value||(p.value=h)}}keepDraft(e=!1){let{name:t,release:s}=this.draft;if(s(),this.draft=C(this.kind,t),this.isSent||this.draft.name===t&&!e)return;let i=Object.
fromEntries(this.view.fields.map(({name:o,control:n})=>[o,n.value]));this.draft.write({...i,linked:this.linked})}onInput(e){let{form:t,fields:s,marked:i,live:o}=this.
view;this.key=M(),e instanceof HTMLInputElement&&e.type==="checkbox"&&(this.consentedAt=e.checked?new Date().toISOString():void 0);for(let n of s.filter(({control:r})=>r===
e))o.textContent===n.fault.textContent&&o.replaceChildren(),R(n);t.querySelector("[aria-invalid]")||i.replaceChildren(),this.keepDraft(!0)}async press(e){e.preventDefault();
let{button:t,fields:s,fieldset:i,trap:o,marked:n,live:r}=this.view;if(t.hasAttribute("aria-disabled"))return;for(let a of[n,r])a.replaceChildren();r.classList.remove(
"good"),s.forEach(R);let d=this.findFaults();if(d.length>0)return this.showFaults(d);if(o.value)return this.say("refused");t.focus(),t.setAttribute("aria-disabl\
ed","true"),i.disabled=!0,this.isSent=!0,this.say("sending",!0);let[u]=await Promise.all([this.send(),new Promise(a=>setTimeout(a,250))]);this.isSent=!1,i.disabled=
!1,t.removeAttribute("aria-disabled"),this.showAnswer(u)}findFaults(){let{write:e,number:t}=this.writer,s=!1,i=this.view.fields.flatMap(o=>{let{name:n,control:r}=o,
{maxLength:d=Number.POSITIVE_INFINITY,pattern:u}=k[n],a=r.matches("[type=checkbox]:not(:checked)")?"":A(r.value),p=[...a].length,h=a===""&&r.hasAttribute("aria-\
required");return s||=h||p>d,h?{field:o,text:e(`${n}.ask`)}:a&&u&&!u.test(a)?{field:o,text:e(`${n}.wrong`)}:p>d?{field:o,text:e("length",{length:t(p),most:t(d)})}:
[]});return s?i:[]}async send(){let e={};for(let{name:r,control:d}of this.view.fields){let u=A(d.value);u&&(e[r]=u)}if(this.kind==="support")return N({...e,formType:"\
support"},{"Idempotency-Key":this.key});let t={consentTimestamp:this.consentedAt,pageUrl:location.protocol.startsWith("http")?location.origin+location.pathname:
void 0,"Consent-Version":deployment.wordingVersion},s=()=>{for(let a of this.refused)t[a]=void 0;let{"Consent-Version":r,...d}=t,u={"Idempotency-Key":this.key,...r&&
{"Consent-Version":r}};return N({...e,communicationsConsent:!0,...d},u)},i=await s(),o=(i?.faults??[]).map(({name:r})=>r),n=o.filter(r=>Object.keys(t).includes(
r));for(let r of n)this.refused.add(r);return o.length>0&&o.length===n.length?s():i}showAnswer(e){let{fields:t,live:s}=this.view,{texts:i,write:o}=this.writer,n=(e?.
faults??[]).filter(({name:a})=>!this.refused.has(a)),r=a=>typeof i[a]=="string",d=!0,u=n.flatMap(({name:a,code:p})=>{let h=t.find(y=>y.name===a),m=p.startsWith(
"invalid")?`${a}.wrong`:p,f=[m,`${a}.ask`].find(r);return d&&=h!==void 0&&(r(m)||/^(invalid|required|consent_required)/.test(p)),h&&f&&p!=="unknown_field"?{field:h,
text:o(f)}:[]});e?e.status<300&&e.id?this.showThanks(e.id,e.status===201):e.retryable?this.wait(e.seconds||5):u.length===0||!d?this.say("refused"):s.replaceChildren():
this.say("away"),u.length>0&&this.showFaults(u)}showThanks(e,t){this.isSent=!0,this.draft.clear();let{texts:s}=this.writer,{frame:i,form:o,live:n}=this.view,r=l(
"p",{class:"number",tabindex:-1},e);n.className="",n.replaceChildren(l("h2",{},`${s[`${this.kind}.thanks`]} ${s.number}`)),n.after(r),i.classList.add("done"),o.
remove(),r.focus();let d={kind:this.kind,id:e};t&&this.host.dispatchEvent(new CustomEvent("lead-sent",{bubbles:!0,composed:!0,detail:d}))}showFaults(e){let{marked:t,
button:s,live:i}=this.view;for(let{field:r,text:d}of e)r.fault.replaceChildren(...d),r.control.setAttribute("aria-invalid","true");let{control:o,fault:n}=e[0].field;
o.matches(":focus")?i.textContent=n.textContent:t.replaceChildren(this.writer.texts.marked),s.scrollIntoView({block:"nearest"}),o.focus()}say(e,t=!1){let{live:s}=this.
view;s.classList.toggle("good",t),s.textContent=l("p",{},...this.writer.write(e)).textContent,t||s.scrollIntoView({block:"nearest"})}wait(e){let{button:t,countdown:s}=this.
view,i=Date.now()+e*1e3;this.say("wait"),t.setAttribute("aria-disabled","true");let o=()=>{let n=Math.ceil((i-Date.now())/1e3);if(n>0){let[r,d]=n>120?[Math.ceil(
n/60),"minute"]:[n,"second"],u=this.writer.number(r,{style:"unit",unit:d,unitDisplay:"long"});s.replaceChildren(...this.writer.write("countdown",{left:u})),setTimeout(
o,250)}else s.replaceChildren(),t.removeAttribute("aria-disabled"),this.say("again",!0)};o()}};function R({control:c,fault:e}){e.replaceChildren(),c.removeAttribute(
"aria-invalid")}var M=()=>crypto.getRandomValues(new Uint32Array(4)).join("-");var D=["kind","services","texts","lang","dir"],j="keydown keypress keyup mousedown pointerdown touchstart selectstart copy cut paste contextmenu".split(" "),F=class extends HTMLElement{static observedAttributes=D;form;connectedCallback(){
this.form?this.form.keepDraft():this.show()}disconnectedCallback(){this.form?.draft.release()}attributeChangedCallback(e,t,s){this.form&&t!==s&&(e==="kind"||!this.
form.isSent)&&this.show()}show(){this.form?.draft.release();let e=new x(this,this.form),{id:t}=this.shadowRoot?.activeElement??{};this.form?this.form.view.frame.
replaceWith(e.view.frame):U(this).append(e.view.frame),this.form=e,this.isConnected||e.draft.release(),t&&e.view.fields.find(({control:s})=>s.id===t)?.control.focus()}};
function U(c){let e=c.attachShadow({mode:"open"});for(let t of j)e.addEventListener(t,J,{passive:!0});if(document.adoptedStyleSheets){let t=new CSSStyleSheet;t.
replaceSync(`:host{display:flow-root;width:100%;min-width:min(100%,16em);margin-inline:0;margin-block:0 1.5em!important;padding:0!important;border:0!important;b\
ox-sizing:border-box!important;background:none!important;font-size:medium!important;columns:auto!important;float:none!important;transform:none!important;filter:\
none!important;clip-path:none!important;--scheme: light;--ink-0: #16211f;--ground-0: #fff;--accent-0: #0a6657;--on-accent-0: #fff;--wrong-0: #a3170a}:host([sche\
me=dark]){--scheme: dark;--ink-0: #eef3f1;--ground-0: #1b2422;--accent-0: #5fd3bd;--on-accent-0: #06201b;--wrong-0: #ff9d92}@media(prefers-color-scheme:dark){:h\
ost([scheme=auto]){--scheme: dark;--ink-0: #eef3f1;--ground-0: #1b2422;--accent-0: #5fd3bd;--on-accent-0: #06201b;--wrong-0: #ff9d92}}:host([hidden]){display:no\
ne!important}*,:before,:after{box-sizing:border-box}.frame{all:initial;box-sizing:border-box;display:block;visibility:inherit;pointer-events:inherit;user-select\
:text;-webkit-user-select:text;letter-spacing:inherit;word-spacing:inherit;color-scheme:var(--scheme);max-width:var(--lead-form-width, 36em);--ink: var(--lead-f\
orm-ink, var(--ink-0));--ground: var(--lead-form-ground, var(--ground-0));--accent: var(--lead-form-accent, var(--accent-0));--on-accent: var(--lead-form-on-acc\
ent, var(--on-accent-0));--wrong: var(--lead-form-wrong, var(--wrong-0));--edge: #75857f;--radius: var(--lead-form-radius, .4em);position:relative;padding:1.25e\
m;border-radius:var(--radius);background:var(--ground);color:var(--ink);font:400 max(1em,16px)/1.5 var(--lead-form-font, system-ui, sans-serif);text-align:start\
;overflow-wrap:anywhere}input,select,option,textarea,button{font:inherit;color:inherit;letter-spacing:inherit;word-spacing:inherit}fieldset{border:0;margin:0;pa\
dding:0;min-width:0}.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,14em),1fr));gap:0 1.25em}.field{margin:0 0 1.1em;min-width:0}label{\
display:block}.field:not(.consent)>label{font-weight:600}p{margin:0 0 1em}.help{opacity:.8;font-size:.9em}.field>p{margin:.2em 0 0}input:not([type=checkbox]),se\
lect,textarea{display:block;width:100%;margin:.3em 0 0;padding:.6em .7em;border:1px solid var(--edge);border-radius:var(--radius);background:var(--ground);scrol\
l-margin-block:6em}:is(input:not([type=checkbox]),select,textarea):disabled{opacity:.7}[type=tel],[type=email]{direction:ltr;text-align:start}textarea{min-heigh\
t:7em;resize:vertical}:focus-visible{outline:3px solid var(--ink);outline-offset:2px}[aria-invalid=true]{--edge: var(--wrong);outline-color:var(--wrong)}.fault{\
color:var(--wrong);font-weight:600}.consent{display:grid;grid-template-columns:auto 1fr;gap:0 .75em;align-items:start}.consent input{width:1.5em;height:1.5em;ma\
rgin:0;accent-color:var(--accent)}.consent .fault{grid-column:2}.trap{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}.message{margi\
n:0}.message:not(:empty),.done{padding:.8em 1em;border:1px solid var(--wrong);border-inline-start-width:5px;border-radius:var(--radius)}.message:not(:empty){mar\
gin:0 0 1em}.message.good:not(:empty),.done{border-color:var(--accent)}button{margin:0;margin-inline-end:.75em;padding:.7em 1.5em;border:2px solid transparent;b\
order-radius:var(--radius);background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}button[aria-disabled=true]{background:#5d6b67;color:#f\
ff;cursor:default}a{color:inherit;text-decoration:underline}a[href^="tel:"]{white-space:nowrap}.done h2{margin:0 0 .5em;font-size:1.15em;line-height:1.3}.number\
{font-family:ui-monospace,monospace;user-select:all;-webkit-user-select:all}.frame>:last-child{margin:0}@media(forced-colors:active){button[aria-disabled=true]{\
border-color:GrayText;color:GrayText}}@media print{.frame{padding:0}}
`),e.adoptedStyleSheets=[t]}else e.append(l("style",{},`:host{display:flow-root;width:100%;min-width:min(100%,16em);margin-inline:0;margin-block:0 1.5em!importa\
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
ar(--radius);background:var(--ground);scroll-margin-block:6em}:is(input:not([type=checkbox]),select,textarea):disabled{opacity:.7}[type=tel],[type=email]{direct\
ion:ltr;text-align:start}textarea{min-height:7em;resize:vertical}:focus-visible{outline:3px solid var(--ink);outline-offset:2px}[aria-invalid=true]{--edge: var(\
--wrong);outline-color:var(--wrong)}.fault{color:var(--wrong);font-weight:600}.consent{display:grid;grid-template-columns:auto 1fr;gap:0 .75em;align-items:start\
}.consent input{width:1.5em;height:1.5em;margin:0;accent-color:var(--accent)}.consent .fault{grid-column:2}.trap{position:absolute;width:1px;height:1px;overflow\
:hidden;clip-path:inset(50%)}.message{margin:0}.message:not(:empty),.done{padding:.8em 1em;border:1px solid var(--wrong);border-inline-start-width:5px;border-ra\
dius:var(--radius)}.message:not(:empty){margin:0 0 1em}.message.good:not(:empty),.done{border-color:var(--accent)}button{margin:0;margin-inline-end:.75em;paddin\
g:.7em 1.5em;border:2px solid transparent;border-radius:var(--radius);background:var(--accent);color:var(--on-accent);font-weight:600;cursor:pointer}button[aria\
-disabled=true]{background:#5d6b67;color:#fff;cursor:default}a{color:inherit;text-decoration:underline}a[href^="tel:"]{white-space:nowrap}.done h2{margin:0 0 .5\
em;font-size:1.15em;line-height:1.3}.number{font-family:ui-monospace,monospace;user-select:all;-webkit-user-select:all}.frame>:last-child{margin:0}@media(forced\
-colors:active){button[aria-disabled=true]{border-color:GrayText;color:GrayText}}@media print{.frame{padding:0}}
`));return e}function J(c){/^(Escape|Tab)$/.test(c.key)||c.stopPropagation()}function O(){for(let c of document.querySelectorAll("div[data-lead-form]")){if(c.querySelector(
"lead-form"))continue;let e=document.createElement("lead-form");for(let t of[...D,"scheme"]){let s=c.getAttribute(`data-${t}`)??c.getAttribute(t);s!==null&&e.setAttribute(
t,s)}c.replaceChildren(e)}}function q(){O(),new MutationObserver(O).observe(document,{childList:!0,subtree:!0})}customElements.get("lead-form")||(customElements.
define("lead-form",F),document.readyState==="loading"?document.addEventListener("DOMContentLoaded",q):q());
