import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPossibleOptOut } from '../../src/inbox/possible-opt-out.ts'

const textsOf = (list: string) => list.split('/').map((text) => text.trim())

const optOuts = textsOf(`
  STOP / STOP. Đừng liên hệ với tôi nữa. / Unsubscribe / Please stop texting me. / stop all messages to this number /
  don’t ever call or text me / Don't email me please / I revoke my consent to be called. / I want to opt out /
  Take me off your list / remove my number from your system / No more calls, please. /
  I don't want to receive any more text messages / I no longer wish to be contacted /
  We never want to hear from you again / put me on your do not call list / Stop please! / OK thanks. Please stop. /
  You have the wrong number / Remove me / Please answer by e-mail only. / No phone calls. / Text me no more /
  I did not consent to this / You have called me and I never asked for it. / That was not me! /
  It wasn't me who sent this / Solo por correo / Yo no fui / Not interested, please stop / leave me alone /
  You do not have my permission / Cease all contact with me / Opt out of all messages / No me llamen más /
  Déjenme en paz / No más llamadas / No me texteen / No me marquen / No me hablen / Número equivocado / No autorizo /
  No consiento que me llamen / Eliminen mis datos / Dejen de enviarme mensajes / Ya no quiero recibir llamadas /
  Revoco mi consentimiento / Quítenme de su lista por favor / The customer does not want to be contacted any more. /
  Customer asks that we no longer contact her. / No further contact`)

const ordinary = textsOf(`
  Please stop by at noon. / Don't call the dog, he bites. / The bus stop is in front of the house /
  Can you call me tomorrow? / Please don't call before 9 am, I work nights / Do not call me before nine, please /
  I have no email printer, just knock / I cannot stop the dripping tap / Don't text while you drive :) /
  Call or text, either is fine / Do you stop at the corner store? / We need a deep clean after we quit smoking /
  The cleaner never called me back / Nobody called me back yesterday / Do not use bleach on the marble /
  No calls before noon, text is fine / Please take the shoes off the list of things to clean /
  Remove the stains from the carpet / I want to cancel my appointment on Friday / My phone number ends in 0123 /
  Do not let the cat out / There is no contact lens solution to worry about / We stopped using another company /
  Two cats. No dogs. / Necesito una limpieza profunda / No llamen al perro / No me llamen por la mañana /
  El perro no molesta / Quiten el polvo de la lista / We opt out of the window cleaning /
  I never asked for the key back / The vase: it was not me who broke it / Email only the invoice to my husband /
  My phone calls drop at home, no phone calls from the basement / Our HOA did not consent to parking here /
  Opt out of a deep clean this time / Please stop the leak under the sink / Me pueden llamar después de las cinco`)

test('a text that may be an opt-out is marked, and an ordinary one is not', () => {
  assert(optOuts.length >= 40 && ordinary.length >= 30)
  for (const message of optOuts) assert(isPossibleOptOut({ message }), message)
  for (const notes of ordinary) assert(!isPossibleOptOut({ notes }), notes)
})
