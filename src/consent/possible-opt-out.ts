import type { LeadContent } from '../lead/submission.ts'

// Phrases with which customers ask for no more contact, or for one channel only, in English, Spanish and French. They
// only mark a lead for a person to read, so too many are better than too few. Nothing is recorded automatically.

const smallWords =
  'ever please you your to be get getting receive receiving any again further more me us the these those this all want wish like send sending out and or nor anymore'
const requesting = 'request*|ask*|sign*|submit*|fill*|consent*|agree*|authori*|inquir*|subscrib*|order*'
const contacting =
  'call*|text*|sms|messag*|email*|mail*|contact*|phon*|solicit*|market*|spam*|bother*|harass*|bug*|writ*|reach*|remind*|hear'
const news = 'calls|texts|emails|messages|contact|reminders'
const contactingInSpanish = 'llam*|escrib*|contact*|molest*|mand*|envi*|text*|marqu*|hablen|hable'
const newsInFrench = 'messages|appel*|sms|courriels|contact*|recevoir'
const contactingInFrench = 'appel*|contact*|ecri*|envoy*|derang*|telephon*|rappel*|relanc*|harcel*|texte*'

/**
 * A phrase, a text that has it, and perhaps an ordinary text that does not. `a|b` is one of several words, `?` marks a
 * word that may be missing, `*` the start of a word, `~` up to twelve small words, `...` up to four words, `!` that no
 * "before" or "while" follows, `^` and `$` the ends of a sentence.
 */
export const optOutPhrases: readonly [phrase: string, example: string, ordinary?: string][] = [
  ['^ please? stop|stopall|end|quit|cancel|revoke|remove all?|please? $', 'STOP', 'The bus stop is close.'],
  ['please stop $', 'Thanks but please stop', 'Please stop by at noon.'],
  ['stop please', 'Stop please, I beg you', 'Stop by, please.'],
  [`stop|quit|cease|halt ~ ${contacting} !`, 'Stop sending text reminders', 'Please stop by and call me.'],
  [`do|does|can|rather|please not ~ ${contacting} !`, 'Don’t text back', 'Do not let the cat out.'],
  ['never ~ call|text|message|email|mail|contact|phone|write|hear', 'Never ever call me', 'The cleaner never called.'],
  [`no longer|more ~ ${contacting}`, 'Customer asks that we no longer contact her'],
  [`no|without further|marketing|phone? ${news} !`, 'No calls', 'No calls before noon.'],
  ['call|text|email|contact|message|write to? me|us no more', 'Text me no more'],
  ['email|text|texts|sms|call|calls|phone|mail me|us? only|alone', 'Text only', 'One floor only. Text me.'],
  ['only by|via|through|per? email|text|texts|sms|phone|mail', 'Only email', 'Only the kitchen.'],
  [`i|we|he|she|have|had|did not ever? ${requesting}`, 'I didn’t request this', 'I did not see the bus.'],
  [`do not ${requesting}`, 'I do not consent to this'],
  [`never ${requesting}`, 'Never requested a quote', 'It never rains.'],
  ['was|is not me|mine', 'That wasn’t me!', 'It is not the main door.'],
  ['was|is not my request|quote|number|email', 'This is not my number'],
  ['someone|somebody else ... my name|number|email', 'Somebody else must have used my number'],
  ['wrong number|person|email', 'You have the wrong number', 'You took the wrong key.'],
  ['not|never have|had|give|gave|given ~ my? permission|consent', 'You do not have my permission'],
  ['opt|opted|opting me|us? out', 'Please opt me out'],
  ['unsubscrib*|optout', 'Unsubscribe'],
  ['revok*|withdr*|rescind*|retract*|cancel*|take|taking ... consent|permission|authorization', 'I revoke my consent'],
  ['remove|take|delete|drop|cross|scratch|strike me|us|my ... list|lists|off|system|database|records', 'Take me off'],
  ['remove|delete|erase me|us', 'Delete me', 'Remove the stains.'],
  ['remove|delete|erase my name|number|phone|email|info*|contact*|data|details', 'Delete my data'],
  ['cease and desist', 'Cease and desist'],
  ['do not call|contact|text|mail list', 'Put me on your do-not-call list'],
  ['leave me|us|her|him|them alone', 'Leave me alone', 'Leave the key with me.'],
  ['lose|forget my number|email', 'Lose my number'],
  ['not|longer interested', 'No longer interested'],
  ['this|it is spam|harass*', 'This is harassment'],
  // Spanish.
  ['^ alto|parar|paren|basta|baja $', 'Basta', 'La planta baja.'],
  [`no me|nos|le|les ... ${contactingInSpanish}`, 'No me vuelvan a llamar', 'No me den la llave.'],
  ['no llam*|contact*|escrib*|molest*|envi*|mand*|texte*', 'No llamen más', 'No hablo inglés.'],
  [`dej*|pare|paren|cese|cesen de ${contactingInSpanish}`, 'Dejen de enviarme mensajes', 'Dejen la llave.'],
  ['no|nunca quiero|queremos|quiere|deseo ... llam*|mensaj*|correo*|texto*|contact*|escrib*', 'Ya no quiero llamadas'],
  ['no|nunca pedi|solicite|autorizo|autorice|consiento|consenti', 'Nunca pedí esto', 'Nunca limpiaron aquí.'],
  ['revoc*|retir*|cancel* ... consentimiento|permiso|autorizacion', 'Revoco mi consentimiento'],
  ['quiteme*|quitenme*|quitame*|saqueme*|saquenme*|borreme*|borrenme*', 'Quítenme de su lista', 'Quiten el polvo.'],
  ['quit*|borr*|elimin* mi|mis numero|correo|datos|nombre', 'Eliminen mis datos'],
  ['dej* en paz', 'Déjenme en paz'],
  ['no|sin mas? llamadas|mensajes|textos|correos', 'No más llamadas'],
  ['numero|persona equivocado|equivocada', 'Número equivocado'],
  ['no fui yo', 'No fui yo'],
  ['yo no fui|pedi|solicite|envie', 'Yo no fui'],
  ['de baja', 'Denme de baja'],
  ['solo|solamente por? correo|email|texto|mensaje*', 'Solo por correo', 'Solo la cocina.'],
  // French.
  ['^ arret|arretez|desinscription $', 'Arrêtez !', 'L’arrêt de bus est devant.'],
  [`ne me|m|nous|plus|pas ... ${contactingInFrench}`, 'Ne m’appelez plus', 'Ne laissez pas sortir le chat.'],
  [`arret*|cess* ... messages|sms|textos|courriels|${contactingInFrench}`, 'Arrêtez de m’écrire', 'Arrêt de bus.'],
  [`ne veux|voulons|veut|souhait*|desir* plus|pas ... ${newsInFrench}`, 'Je ne veux plus recevoir de messages'],
  ['desabonn*|desinscri*', 'Désabonnez-moi'],
  ['plus|pas de|d appels|messages|sms|textos|courriels|emails|mails', 'Pas d’appels', 'Pas de tapis.'],
  ['retir*|revoqu*|annul* ... consentement|autorisation', 'Je retire mon consentement'],
  ['retir*|supprim*|enlev*|effac* moi|mon|mes ... liste|numero|nom|donnees|courriel|email', 'Retirez-moi de la liste'],
  ['mauvais|faux numero', 'Mauvais numéro'],
  ['n est|etait pas moi', 'Ce n’était pas moi'],
  ['n ai|avons pas|jamais|rien ... demand*|consent*|autoris*|sollicit*', 'Je n’ai rien demandé', 'Je n’ai pas soif.'],
  ['ne consens|consentons pas', 'Je ne consens pas'],
  ['laiss* moi|nous tranquille*', 'Laissez-moi tranquille', 'Laissez-moi la clé.'],
  ['par? courriel|email|texto|sms|ecrit seulement|uniquement', 'Par courriel seulement'],
  ['seulement|uniquement par? courriel|email|texto|sms|ecrit', 'Uniquement par texto', 'Uniquement la cuisine.'],
]

/** Matches the words of a phrase, each with the space after it. */
function toPattern(phrase: string): string {
  const words = phrase.split(' ').map((word) => {
    if (word === '^') return '\\. '
    if (word === '$') return '(?=\\.)'
    if (word === '!') return '(?!(?:me |us )?(?:before|while) )'
    if (word === '~') return `(?:(?:${smallWords.replaceAll(' ', '|')}) ){0,12}`
    if (word === '...') return '(?:\\w+ ){0,4}'
    const [, of = word, optional = ''] = /^(.*)(\?)$/.exec(word) ?? []
    return `(?:(?:${of.replaceAll('*', '\\w*')}) )${optional}`
  })
  return `(?<= |^)${words.join('')}`
}

const pattern = new RegExp(optOutPhrases.map(([phrase]) => toPattern(phrase)).join('|'))

/** Words in lowercase without accents, and a dot at each end of a sentence, with a space after each. */
function simplify(text: string): string {
  const plain = text
    .replace(/[\u2019\u2018\u00b4`]/g, "'")
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
  const whole = plain
    .replace(/\be-mail/g, 'email')
    .replace(/\bwon'?t\b/g, 'will not')
    .replace(/\bcan'?t\b|\bcannot\b/g, 'can not')
  const long = whole.replace(/\b(do|does|did|is|was|have|had|are|would|should|could)n'?t\b/g, '$1 not')
  return `. ${long
    .replace(/[.!?;:\n]+/g, ' . ')
    .replace(/[^a-z0-9.]+/g, ' ')
    .trim()} . `
}

export function isPossibleOptOut({ notes, message, helpWith }: LeadContent): boolean {
  return [notes, message, helpWith].some((text) => typeof text === 'string' && pattern.test(simplify(text)))
}
