import type { LeadContent } from '../lead/submission.ts'

// Words with which customers ask for no more contact, in English and Spanish. They only mark a lead for a person to
// read; nothing is recorded automatically.

/** What people want to end. */
const contact = String.raw`(?:call|text|sms|messag|e-?mail|mail|contact|phon|solicit|market|spam|bother|harass|writ|reach)\w*`
/** What may appear between the "no" and that. */
const filler = String.raw`(?:\s+(?:ever|please|you|your|to|be|get|getting|receive|receiving|any|again|further|more|me|us|the|these|those|this|all|want|wish|like|send|sending|out|calls?|texts?|e-?mails?|and|or|nor))*`
/** What follows an opt-out, but not "don't call the dog", "no calls before noon" or "call me at six". */
const ending = String.raw`(?=\s*(?:$|[.,;:!?)])|\s+(?:me|us|her|him|them)(?!\s+(?:back|before|until|till|after|between|on|during|while|when|if|in|at\s+(?:night|work|\d{1,2}\b(?!\d)))\b)|\s+(?:and|or|nor|again|any\s?more|ever|at\s+all|to\s+(?:me|us|this|my)|this\s|my\s+(?:number|phone|cell|mobile|e-?mail|house|home)|messages?|list|registry|please|from\s+(?:you|now)|now)\b)`

const words: readonly string[] = [
  // The whole text, or its first sentence, as in a reply to a text message.
  String.raw`^\W*(?:please\s+)?(?:stop|stopall|stop all|end|quit|cancel|revoke|opt[ -]?out|unsubscribe|remove|alto|parar|basta|baja)(?:\W+please)?\W*$|^\W*stop\s*[.!]`,
  String.raw`\bplease\s+stop(?=\s*(?:$|[.,;!?]))|\bstop\s+please\b|\bnot\s+interested\b[^.!?]{0,20}[.,;!?]?\s*(?:please\s+)?stop\b`,
  String.raw`\b(?:wrong\s+(?:number|person)|(?:do not|don't|never)\s+(?:have|had|gave|give|given)\s+(?:you\s+)?(?:my\s+)?(?:permission|consent))\b`,
  // "I did not consent", "I never asked for this", "it wasn't me".
  String.raw`\b(?:i|we)\s+(?:never|did not|didn't|do not|don't)\s+consent(?:ed)?\b|\b(?:never|did not|didn't)\s+ask(?:ed)?\s+(?:you\s+)?for\s+(?:(?:this|that|it|any|your)\b|an?\s+(?:quote|call|text|e-?mail|estimate)\b)|\b(?:i|we)\s+never\s+asked\s+for\s*(?:$|[.,;!?])`,
  String.raw`\b(?:was|is)(?:\s+not|n't)\s+me\b(?!\s+(?:who|that)\s+(?!ask|sen[dt]|wrote|fill|submit|request))`,
  // "Stop calling me", "do not call or text", "no more e-mails", "I don't want to be contacted".
  String.raw`\b(?:stop|quit|cease|never|do not|do-not|don'?t|does not|doesn'?t|no longer|no more|not to be)${filler}[\s-]+${contact}${ending}`,
  String.raw`\b(?:call|text|e-?mail|contact|message|write)\s+(?:to\s+)?(?:me|us)\s+no\s+more\b`,
  String.raw`(?<!\b(?:have|has|had|got|is|was|there'?s|with|of)\s)\bno\s+(?:phone\s+|further\s+)?(?:calls?|texts?|e-?mails?|messages?|contact)(?:\s+or\s+\w+)?${ending}`,
  String.raw`\b(?:do not|don'?t|no longer|never)\s+(?:want|wish|like|care)\s+to\s+hear\s+from\b`,
  // To allow one channel alone is to refuse the others: "answer by e-mail only", "only by email".
  String.raw`\be-?mail\s+(?:only|alone)(?=\s*(?:$|[.,;:!?)])|\s+please\b)|\bonly\s+(?:by|via|through|per)\s+e-?mail\b|\bsolo\s+por\s+(?:correo|e-?mail)\b`,
  String.raw`\bunsubscrib`,
  String.raw`\bopt(?:ed|ing)?(?:\s+(?:me|us))?[\s-]?out\b(?!\s+of\s+(?:the|a|an)\s+(?!list|calls?|texts?|messages?|e-?mails?))`,
  String.raw`\b(?:revok|withdr[ae]w|rescind|cancel|take back|taking back|retract)\w*\s+(?:\w+\s+){0,3}(?:consent|permission|authorization)\b`,
  String.raw`\b(?:remove|take|delete|drop|get|cross|scratch|strike)\s+(?:me|us|my\s+(?:name|number|phone|e-?mail|info\w*|contact\w*)|this\s+number)\b[^.!?]{0,30}\b(?:lists?|off|system|database|records?)\b`,
  String.raw`\b(?:remove|delete|erase)\s+(?:me|my\s+(?:name|number|phone|e-?mail|info\w*|data))\b(?=\s*(?:$|[.,;!?]|please|now))|\bcease\s+(?:and\s+desist|all)\b`,
  String.raw`\b(?:leave\s+(?:me|us)\s+alone|lose\s+my\s+number|do[ -]not[ -](?:call|contact|text|mail)\s+list)\b`,
  // "No me llamen", "dejen de escribirme", "no quiero más mensajes". Accents have been removed.
  String.raw`\bno\s+(?:(?:me|nos)\s+)?(?:vuelv\w+\s+a\s+)?(?:llam|escrib|contact|molest(?=en|es|ar)|mand|envi|texte|marqu|habl)\w+\b(?!\s+(?:al|a\s+(?:la|los|las)|por\s+la|en\s+la|antes|despues|hasta)\b)`,
  String.raw`\b(?:dej|par|ces)\w*\s+de\s+(?:llamar|escribir|contactar|molestar|mandar|enviar)`,
  String.raw`\b(?:no|ya\s+no|nunca)\s+(?:quiero|queremos|deseo)\b[^.!?]{0,30}\b(?:llamadas?|mensajes?|correos?|textos?|contact\w*|llam\w+|escrib\w+)`,
  String.raw`\b(?:revoc|retir|cancel)\w*\s+(?:\w+\s+){0,2}(?:consentimiento|permiso|autorizacion)`,
  String.raw`\b(?:quit|borr|elimin|sac|saqu)\w*\s+(?:\w+\s+){0,4}(?:(?<!(?:polvo|mancha|manchas|suciedad)\s(?:de\s)?(?:la\s)?)lista|numero|correo|mis\s+datos)`,
  String.raw`\b(?:dej\w*(?:me|nos)\s+en\s+paz|no\s+mas\s+(?:llamadas|mensajes|textos|correos)|numero\s+equivocado|no\s+fui\s+yo|yo\s+no\s+fui|nunca\s+(?:pedi|solicite)|no\s+(?:autoriz|consient)\w+)\b`,
  String.raw`\b(?:d[ae]\w*|darse)\s+de\s+baja\b|\bsin\s+(?:llamadas|mensajes)\b`,
]

const pattern = new RegExp(words.join('|'), 'i')

export function isPossibleOptOut({ notes, message, helpWith }: LeadContent): boolean {
  return [notes, message, helpWith].some((text) => {
    if (typeof text !== 'string') return false
    const simplified = text.normalize('NFKD').replace(/\p{M}/gu, '').replaceAll('\u2019', "'").replace(/\s+/g, ' ')
    return pattern.test(simplified)
  })
}
