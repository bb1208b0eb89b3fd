var b=new Set;function S(l,e=""){let t=`lead-form ${l} `,n=t+location.pathname;for(e.split(" +")[0]===n&&!b.has(e)&&(n=e);b.has(n);)n+=" +";return b.add(n),{name:n,
release:()=>b.delete(n),read:()=>T(()=>JSON.parse(sessionStorage.getItem(n)??"{}"))??{},write:r=>T(()=>sessionStorage.setItem(n,JSON.stringify(r))),clear:()=>T(
()=>{for(let r of Object.keys(sessionStorage))r.startsWith(t)&&sessionStorage.removeItem(r)})}}function T(l){try{return l()}catch{return}}var E={quote:["name",["phone","email","bedrooms","bathrooms"],"service","notes","communicationsConsent"],support:["name",["phone","email"],"helpWith","message"]},
I={tag:"input",pattern:new RegExp("\\p{N}|[s\\uff53].*[t\\uff54].*[u\\uff55]","iu")},D=new RegExp("^(?!.*x)(?:\\P{Nd}*\\p{Nd}){10}","iu"),v={name:{tag:"input",autocomplete:"\
name",maxLength:200},phone:{tag:"input",type:"tel",autocomplete:"tel",pattern:D},email:{tag:"input",type:"email",autocomplete:"email",pattern:/.[@＠%].+[.\u3002\uff0e\uff61]./},
bedrooms:I,bathrooms:I,service:{tag:"select"},notes:{tag:"textarea",maxLength:5e3},communicationsConsent:{tag:"input",type:"checkbox"},helpWith:{tag:"input",maxLength:100},
message:{tag:"textarea",maxLength:5e3}};function C(l){return l.replace(/[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu,"").
trim()}async function A(l,e){let{baseUrl:t}=deployment,n=new AbortController,r=setTimeout(()=>n.abort(),2e4);try{let o=await fetch(`${t}/api/v1/leads`,{method:"POST",headers:{
"Content-Type":"application/json",...e},body:JSON.stringify(l),signal:n.signal}),s=await o.json(),i=(s?.errors??[]).map(({pointer:a,code:p})=>({name:a.slice(2),
code:p})),{id:d,retryable:u}=s??{};return{status:o.status,seconds:Number(o.headers.get("Retry-After")),id:d,retryable:u,faults:i}}catch(o){let s=i=>console.warn(
`lead-form: ${i} See ${t}/website-forms#steps`,o);fetch(`${t}/robots.txt`,{mode:"no-cors"}).then(()=>s(`add ${self.origin} to CORS_ORIGINS of ${t}. "null" canno\
t be added: use a web server.
If it is there, a script of this page added credentials to the request, or it took too long.`),()=>s(`${t} is down, or connect-src of this page or an extension \
of the browser blocks it.`));return}finally{clearTimeout(r)}}var N={"quote.title":"Ask for a quote","quote.send":"Ask for a quote","quote.thanks":"Thank you. We have your request.","support.title":"Write to us","support.s\
end":"Send","support.thanks":"Thank you. We have your message.",number:"If you ask about it, please give us this number:",required:"Please fill in every field.",
name:"Name","name.ask":"What is your name?","name.wrong":"Please write your name with letters only.",phone:"Phone","phone.ask":"What is your phone number? Ten d\
igits, starting with the area code.","phone.wrong":"Please check the number. We can call U.S. numbers and others with +1: ten digits. Put an extension into “%la\
st%”. If you have no such number, please %contact%.",email:"E-mail","email.ask":"What is your e-mail address? For example, name@example.com","email.wrong":"Pl\
ease check the address. It should look like name@example.com",bedrooms:"Bedrooms","bedrooms.help":"For example, 3 or 5+. A studio is 0.","bedrooms.ask":"How man\
y bedrooms? For example, 3","bedrooms.wrong":"How many bedrooms? Please write a number, for example 3",bathrooms:"Bathrooms","bathrooms.help":"For example, 2 or\
 2.5","bathrooms.ask":"How many bathrooms? For example, 2.5","bathrooms.wrong":"How many bathrooms? Please write whole or half numbers, for example 2.5",service:"\
Kind of cleaning","service.choose":"Please choose","service.ask":"What kind of cleaning? Please choose one.",notes:"About your home","notes.help":"Address, good\
 days, pets, parking. Please leave out door and alarm codes.","notes.ask":"Please tell us about your home, or write “No further details”.","communicationsCo\
nsent.ask":"Please tick this to send the form. If you would rather not, please %contact%.",helpWith:"What is it about?","helpWith.ask":"What is it about? For ex\
ample, window cleaning",message:"Message","message.ask":"What would you like to tell us?",small:"For adults only. Read our %terms% and %privacy%.",terms:"terms",
privacy:"how we use your data",contact:"call %phone% or write to %email%",rather:"You can also call %phone% or write to %email%. %agents%",agents:"For AI agents",
sending:"Sending …",marked:"Please look at the fields that are marked above.",refused:"This could not be sent. Please %contact%.",away:"We could not be reache\
d. Please check your connection and press the button again. If that does not help, please %contact%.",wait:"We cannot take this yet. What you wrote stays here. \
Please press the button again when the countdown ends.",countdown:"Again in %left%",again:"You can press “%send%” again.",length:"This has %length% characte\
rs, but only %most% fit. Please shorten it.",too_long:"This is too long. Please shorten it.",payment_card:"Please leave out card numbers. We never need one here\
.",placeholder:"Please write your own here.",reserved_phone:"This is an example. Please write your own.",reserved_domain:"This is an example. Please write your \
own.",unassignable_phone:"Please check the number: it does not look like one in the U.S. or Canada. If yours is from elsewhere, please %contact%."};function L(l,e,t){let n=N,r="en";try{let h=Object.entries(e?JSON.parse(e):{}).filter(([,f])=>typeof f=="string");n={...N,...Object.fromEntries(h)},e&&t&&(r=Intl.
getCanonicalLocales(t)[0]??r)}catch(h){console.warn('lead-form: "texts" is not JSON, or "lang" is no language.',h)}let{baseUrl:o,phone:s,phoneUri:i,email:d,emailUri:u}=deployment,
a={phone:()=>i?c("a",{href:i},s):s,email:()=>c("a",{href:u},d),terms:()=>c("a",{href:`${o}/terms`,...P},n.terms),privacy:()=>c("a",{href:`${o}/privacy`,...P},n.
privacy),agents:()=>c("a",{href:`${o}/llms.txt`},n.agents),contact:()=>p("contact"),last:()=>n[l==="quote"?"notes":"message"],send:()=>n[`${l}.send`]};function p(h,f={}){
return n[h].split(/%(\w+)%/).flatMap((w,g)=>g%2===0?w:f[w]??a[w]?.()??"")}return{texts:n,lang:r,write:p,number:(h,f)=>h.toLocaleString(r,f)}}var P={target:"_bla\
nk",rel:"noopener"};function c(l,e={},...t){let n=document.createElement(l);for(let[r,o]of Object.entries(e))o!==void 0&&o!==!1&&n.setAttribute(r,o===!0?"":String(
o));return n.append(...t),n}function W(l,e,t,n){let{texts:r,write:o}=e,s=[],i=g=>{let x=H(l,g,e);return g==="service"&&x.control.append(...V(["",...t],r["service.choose"],n)),s.push(x),x.element},
d=c("input",{tabindex:-1,"data-trap":!0}),u=c("fieldset",{},c("p",{class:"help"},r.required),...E[l].map(g=>typeof g=="string"?i(g):c("div",{class:"pair"},...g.
map(i))),c("div",{class:"trap","aria-hidden":"true"},c("label",{},"Leave this empty ",d)),c("p",{class:"help"},...o("small"))),a=c("p",{class:"message"}),p=c("b\
utton",{type:"submit"},r[`${l}.send`]),m=c("span",{class:"help"}),h=c("p",{},p,m),f=c("form",{"aria-label":r[`${l}.title`],novalidate:!0},u,a,h),y=c("div",{class:"\
message","aria-live":"polite"});return{frame:c("div",{class:"frame"},f,y,c("p",{class:"help"},...o("rather"))),form:f,fields:s,fieldset:u,trap:d,marked:a,live:y,
button:p,countdown:m}}function H(l,e,{texts:t}){let{tag:n,type:r,autocomplete:o}=v[e],s=`${l}-${e}`,i=t[`${e}.help`],d=c(n,{id:s,name:e,type:r,autocomplete:o,"a\
ria-required":`${e}.ask`in t&&"true","aria-describedby":i?`${s}-help ${s}-fault`:`${s}-fault`}),u=c("p",{class:"fault",id:`${s}-fault`}),a=i?[c("p",{class:"help",
id:`${s}-help`},i)]:[],p=(f,y={})=>c("label",{for:s,...y},f);if(e!=="communicationsConsent"){let f=c("div",{class:"field"},p(t[e]),d,...a,u);return{name:e,control:d,
fault:u,element:f}}let m=t["consent-version"]===deployment.wordingVersion&&t.consent,h=m?p(m):p(deployment.wording,{lang:"en",dir:"ltr"});return{name:e,control:d,
fault:u,element:c("div",{class:"field consent"},d,h,u)}}function V(l,e,t){let n=t.trim().toLowerCase();return l.map(r=>c("option",{value:r,selected:r.toLowerCase()===
n},r||e))}var _="Regular cleaning, Deep clean, Move-out cleaning, Something else",k=class{view;host;kind;writer;isSent=!1;draft;key=R();consentedAt;refused=new Set;linked=new URLSearchParams(
location.search).get("service")??"";constructor(e,t){this.host=e,this.kind=e.getAttribute("kind")==="support"?"support":"quote",this.writer=L(this.kind,e.getAttribute(
"texts"),e.getAttribute("lang"));let n={lang:this.writer.lang,dir:e.getAttribute("dir")==="rtl"?"rtl":"ltr"},r=(e.getAttribute("services")?.trim()||_).split(",").
map(a=>a.trim());this.view=W(this.kind,this.writer,r.filter(Boolean),this.linked);let{frame:o,form:s,fields:i,button:d}=this.view;for(let a of[o,s])Object.assign(
a,n);d.addEventListener("click",a=>this.press(a)),s.addEventListener("submit",a=>this.press(a)),s.addEventListener("input",({target:a})=>this.onInput(a)),this.draft=
S(this.kind,t?.draft.name);let u=this.draft.read();for(let{name:a,control:p}of i){let{value:m}=p,h=m!==""&&a==="service"&&u.linked!==this.linked;u[a]&&!h&&(p.value=
u[a]),p.value||(p.value=m)}}keepDraft(e=!1){let{name:t,release:n}=this.draft;if(n(),this.draft=S(this.kind,t),this.isSent||this.draft.name===t&&!e)return;let r=Object.
fromEntries(this.view.fields.map(({name:o,control:s})=>[o,s.value]));this.draft.write({...r,linked:this.linked})}onInput(e){let{form:t,fields:n,marked:r,live:o}=this.
view;this.key=R(),e instanceof HTMLInputElement&&e.type==="checkbox"&&(this.consentedAt=e.checked?new Date().toISOString():void 0);for(let s of n.filter(({control:i})=>i===
e))o.textContent===s.fault.textContent&&o.replaceChildren(),$(s);t.querySelector("[aria-invalid]")||r.replaceChildren(),this.keepDraft(!0)}async press(e){e.preventDefault();
let{button:t,fields:n,fieldset:r,trap:o,marked:s,live:i}=this.view;if(t.hasAttribute("aria-disabled"))return;for(let a of[s,i])a.replaceChildren();i.classList.remove(
"good"),n.forEach($);let d=this.findFaults();if(d.length>0)return this.showFaults(d);if(o.value)return this.say("refused");t.focus(),t.setAttribute("aria-disabl\
ed","true"),r.disabled=!0,this.isSent=!0,this.say("sending",!0);let[u]=await Promise.all([this.send(),new Promise(a=>setTimeout(a,250))]);this.isSent=!1,r.disabled=
!1,t.removeAttribute("aria-disabled"),this.showAnswer(u)}findFaults(){let{write:e,number:t}=this.writer,n=!1,r=this.view.fields.flatMap(o=>{let{name:s,control:i}=o,
{maxLength:d=Number.POSITIVE_INFINITY,pattern:u}=v[s],a=i.matches("[type=checkbox]:not(:checked)")?"":C(i.value),p=[...a].length,m=a===""&&i.hasAttribute("aria-\
required");return n||=m||p>d,m?{field:o,text:e(`${s}.ask`)}:a&&u&&!u.test(a)?{field:o,text:e(`${s}.wrong`)}:p>d?{field:o,text:e("length",{length:t(p),most:t(d)})}:
[]});return n?r:[]}async send(){let e={};for(let{name:i,control:d}of this.view.fields){let u=C(d.value);u&&(e[i]=u)}if(this.kind==="support")return A({...e,formType:"\
support"},{"Idempotency-Key":this.key});let t={consentTimestamp:this.consentedAt,pageUrl:location.protocol.startsWith("http")?location.origin+location.pathname:
void 0,"Consent-Version":deployment.wordingVersion},n=()=>{for(let a of this.refused)t[a]=void 0;let{"Consent-Version":i,...d}=t,u={"Idempotency-Key":this.key,...i&&
{"Consent-Version":i}};return A({...e,communicationsConsent:!0,...d},u)},r=await n(),o=(r?.faults??[]).map(({name:i})=>i),s=o.filter(i=>Object.keys(t).includes(
i));for(let i of s)this.refused.add(i);return o.length>0&&o.length===s.length?n():r}showAnswer(e){let{fields:t,live:n}=this.view,{texts:r,write:o}=this.writer,s=(e?.
faults??[]).filter(({name:a})=>!this.refused.has(a)),i=a=>typeof r[a]=="string",d=!0,u=s.flatMap(({name:a,code:p})=>{let m=t.find(y=>y.name===a),h=p.startsWith(
"invalid")?`${a}.wrong`:p,f=[h,`${a}.ask`].find(i);return d&&=m!==void 0&&(i(h)||/^(invalid|required|consent_required)/.test(p)),m&&f&&p!=="unknown_field"?{field:m,
text:o(f)}:[]});e?e.status<300&&e.id?this.showThanks(e.id,e.status===201):e.retryable?this.wait(e.seconds||5):u.length===0||!d?this.say("refused"):n.replaceChildren():
this.say("away"),u.length>0&&this.showFaults(u)}showThanks(e,t){this.isSent=!0,this.draft.clear();let{texts:n}=this.writer,{frame:r,form:o,live:s}=this.view,i=c(
"p",{class:"number",tabindex:-1},e);s.className="",s.replaceChildren(c("h2",{},`${n[`${this.kind}.thanks`]} ${n.number}`)),s.after(i),r.classList.add("done"),o.
remove(),i.focus();let d={kind:this.kind,id:e};t&&this.host.dispatchEvent(new CustomEvent("lead-sent",{bubbles:!0,composed:!0,detail:d}))}showFaults(e){let{marked:t,
button:n,live:r}=this.view;for(let{field:i,text:d}of e)i.fault.replaceChildren(...d),i.control.setAttribute("aria-invalid","true");let{control:o,fault:s}=e[0].field;
o.matches(":focus")?r.textContent=s.textContent:t.replaceChildren(this.writer.texts.marked),n.scrollIntoView({block:"nearest"}),o.focus()}say(e,t=!1){let{live:n}=this.
view;n.classList.toggle("good",t),n.textContent=c("p",{},...this.writer.write(e)).textContent,t||n.scrollIntoView({block:"nearest"})}wait(e){let{button:t,countdown:n}=this.
view,r=Date.now()+e*1e3;this.say("wait"),t.setAttribute("aria-disabled","true");let o=()=>{let s=Math.ceil((r-Date.now())/1e3);if(s>0){let[i,d]=s>120?[Math.ceil(
s/60),"minute"]:[s,"second"],u=this.writer.number(i,{style:"unit",unit:d,unitDisplay:"long"});n.replaceChildren(...this.writer.write("countdown",{left:u})),setTimeout(
o,250)}else n.replaceChildren(),t.removeAttribute("aria-disabled"),this.say("again",!0)};o()}};function $({control:l,fault:e}){e.replaceChildren(),l.removeAttribute(
"aria-invalid")}var R=()=>crypto.getRandomValues(new Uint32Array(4)).join("-");var q=["kind","services","texts","lang","dir"],j="keydown keypress keyup mousedown pointerdown touchstart selectstart copy cut paste contextmenu".split(" "),F=class extends HTMLElement{static observedAttributes=q;form;connectedCallback(){
this.form?this.form.keepDraft():this.show()}disconnectedCallback(){this.form?.draft.release()}attributeChangedCallback(e,t,n){this.form&&t!==n&&(e==="kind"||!this.
form.isSent)&&this.show()}show(){this.form?.draft.release();let e=new k(this,this.form),{id:t}=this.shadowRoot?.activeElement??{};this.form?this.form.view.frame.
replaceWith(e.view.frame):U(this).append(e.view.frame),this.form=e,this.isConnected||e.draft.release(),t&&e.view.fields.find(({control:n})=>n.id===t)?.control.focus()}};
function U(l){let e=l.attachShadow({mode:"open"});for(let t of j)e.addEventListener(t,J,{passive:!0});if(document.adoptedStyleSheets){let t=new CSSStyleSheet;t.
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
`),e.adoptedStyleSheets=[t]}else e.append(c("style",{},`:host{display:flow-root;width:100%;min-width:min(100%,16em);margin-inline:0;margin-block:0 1.5em!importa\
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
`));return e}function J(l){/^(Escape|Tab)$/.test(l.key)||l.stopPropagation()}function M(){for(let l of document.querySelectorAll("div[data-lead-form]")){if(l.querySelector(
"lead-form"))continue;let e=document.createElement("lead-form");for(let t of[...q,"scheme"]){let n=l.getAttribute(`data-${t}`)??l.getAttribute(t);n!==null&&e.setAttribute(
t,n)}l.replaceChildren(e)}}function O(){M(),new MutationObserver(M).observe(document,{childList:!0,subtree:!0})}customElements.get("lead-form")||(customElements.
define("lead-form",F),document.readyState==="loading"?document.addEventListener("DOMContentLoaded",O):O());
