<?php
// Keeps a copy of every lead in a JSON file, without a library: php follow_leads.php http://HOST:PORT FILE
// It speaks Connect's streaming JSON over HTTP/1.1 (see docs/inbox.md). Replace the file with your database.
// Do not contact a person whose copy has an optedOutAt, except to answer a message (docs/consumers.md).
[, $service, $file] = $argv;
$copy = is_file($file) ? json_decode(file_get_contents($file), true) : ['cursor' => '', 'leads' => []];

/** Reads exactly so many bytes. The service sends a message every 15 seconds: after 45 without one, it is dead. */
function read($stream, int $length): string
{
    $bytes = '';
    while (strlen($bytes) < $length) {
        $part = fread($stream, $length - strlen($bytes));
        if ($part === false || $part === '') throw new RuntimeException('the stream broke off or is silent');
        $bytes .= $part;
    }
    return $bytes;
}

/** Merges a lead into its copy: an erased copy stays erased, and an opt-out stays. A false member is left out. */
function merge(array $lead, ?array $known): array
{
    if (isset($known['erased']) && !isset($lead['erased'])) {
        fwrite(STDERR, "erase again: {$lead['id']}\n");
        return $known;
    }
    $time = fn (?array $one): float => (float) (new DateTime($one['optedOutAt'] ?? '@0'))->format('U.u');
    if ($time($known) > $time($lead)) {
        if (!isset($lead['erased'])) fwrite(STDERR, "opt-out again: {$lead['id']} {$known['optedOutAt']}\n");
        $lead['optedOutAt'] = $known['optedOutAt'];
    }
    return $lead;
}

while (true) {
    try {
        $request = json_encode(['cursor' => $copy['cursor'], 'consumer' => 'crm-php']);
        $stream = @fopen("$service/leadintake.v1.LeadInboxService/WatchLeads", 'r', false, stream_context_create(['http' => [
            'method' => 'POST', 'protocol_version' => 1.1, 'timeout' => 45, 'ignore_errors' => true,
            'header' => "Content-Type: application/connect+json\r\nConnection: close",
            // A frame: the byte 0, the length in four bytes, the message.
            'content' => pack('CN', 0, strlen($request)) . $request,
        ]]));
        if (!$stream) throw new RuntimeException('no connection');
        if (!str_contains($http_response_header[0], ' 200')) throw new RuntimeException(stream_get_contents($stream));
        while (true) {
            ['flags' => $flags, 'length' => $length] = unpack('Cflags/Nlength', read($stream, 5));
            $message = json_decode(read($stream, $length), true);
            if ($flags & 2) break; // The end: {}, or {"error": …}.
            if (isset($message['lead'])) {
                $id = $message['lead']['id'];
                $copy['leads'][$id] = merge($message['lead'], $copy['leads'][$id] ?? null);
            }
            $copy['cursor'] = $message['cursor'];
            // Leads and cursor in one step, so that a crash can neither skip a lead nor lose the cursor.
            file_put_contents("$file.new", json_encode($copy));
            rename("$file.new", $file);
        }
        if (($message['error']['code'] ?? '') === 'out_of_range') $copy['cursor'] = ''; // The database was restored.
        throw new RuntimeException(json_encode($message));
    } catch (RuntimeException $end) {
        fwrite(STDERR, $end->getMessage() . "\n");
    }
    if (isset($stream) && is_resource($stream)) fclose($stream);
    sleep(1);
}
