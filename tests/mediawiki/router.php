<?php
// PHP's built-in server as a wiki: the paths that Wikipedia uses, a log of API requests, and faults on demand.
//   requests.log   one JSON object a line for each API request
//   levers/require_user_agent   403 unless the User-Agent names a program and how to reach its people
//   levers/fault   a JSON object: "answer" (below), "every" (1 = each request), "times" (then it stops),
//                  and what the answer needs: "status", "retry_after", "seconds", "location", "bytes", "asked"

$mediawiki = '/usr/share/mediawiki';
$data = getenv( 'WIKI_FOLDER' );
$path = parse_url( $_SERVER['REQUEST_URI'], PHP_URL_PATH );

// Answers in the wiki's place when a lever says so; true when it did.
function faulty( $data ) {
	$agent = $_SERVER['HTTP_USER_AGENT'] ?? '';
	if ( is_file( "$data/levers/require_user_agent" ) && !preg_match( '!^\S+/\S+ .*(https?://|\S@\S)!', $agent ) ) {
		http_response_code( 403 );
		header( 'Content-Type: text/plain' );
		echo "Please set a user-agent that says how to reach you.\n";
		return true;
	}
	if ( !is_file( "$data/levers/fault" ) ) {
		return false;
	}
	$fault = json_decode( file_get_contents( "$data/levers/fault" ), true );
	$counter = "$data/levers/fault.count";
	$count = (int)@file_get_contents( $counter ) + 1;
	file_put_contents( $counter, $count );
	$every = $fault['every'] ?? 1;
	if ( $count % $every !== 0 || $count / $every > ( $fault['times'] ?? PHP_INT_MAX ) ) {
		return false;
	}
	switch ( $fault['answer'] ) {
		case 'status':
			http_response_code( $fault['status'] );
			if ( isset( $fault['retry_after'] ) ) {
				header( 'Retry-After: ' . $fault['retry_after'] );
			}
			header( 'Content-Type: text/html' );
			echo '<html><body><h1>Error ' . $fault['status'] . '</h1></body></html>';
			return true;
		case 'slow':
			usleep( (int)( 1e6 * $fault['seconds'] ) );
			return false;
		case 'held':  // a request that asks for this, until the lever is let go
			while ( isset( $_GET[$fault['asked']] ) && is_file( "$data/levers/fault" ) ) {
				usleep( 20000 );
				clearstatcache();
			}
			return false;
		case 'half':  // a document that stops in the middle
			header( 'Content-Type: application/json' );
			echo '{"batchcomplete":true,"query":{"pages":[{"pageid":';
			return true;
		case 'cut':  // a connection that ends before the promised length
			ini_set( 'zlib.output_compression', '0' );
			header( 'Content-Type: application/json' );
			header( 'Content-Length: 100000' );
			echo '{"batchcomplete":true,';
			return true;
		case 'html':
			header( 'Content-Type: text/html; charset=utf-8' );
			echo '<!DOCTYPE html><html><title>Welcome</title><p>Please sign in to the network.</p></html>';
			return true;
		case 'json':  // well-formed, but not what an API says
			header( 'Content-Type: application/json' );
			echo $fault['text'];
			return true;
		case 'redirect':
			header( 'Location: ' . $fault['location'], true, 302 );
			return true;
		case 'endless':  // far more than anyone asked for
			header( 'Content-Type: application/json' );
			echo '{"a":"';
			for ( $sent = 0; $sent < $fault['bytes']; $sent += 65536 ) {
				echo str_repeat( 'x', 65536 );
			}
			echo '"}';
			return true;
	}
	return false;
}

if ( preg_match( '!^(?:/w)?/(api|index|load|rest)\.php(/.*)?$!', $path, $match ) ) {
	if ( $match[1] === 'api' ) {
		$line = [ 'time' => microtime( true ), 'method' => $_SERVER['REQUEST_METHOD'],
			'user_agent' => $_SERVER['HTTP_USER_AGENT'] ?? '', 'encoding' => $_SERVER['HTTP_ACCEPT_ENCODING'] ?? '',
			'parameters' => $_GET + $_POST ];
		file_put_contents( "$data/requests.log", json_encode( $line ) . "\n", FILE_APPEND | LOCK_EX );
		if ( faulty( $data ) ) {
			return true;
		}
	}
	$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = "/{$match[1]}.php";
	$_SERVER['SCRIPT_FILENAME'] = "$mediawiki/{$match[1]}.php";
	$_SERVER['REQUEST_URI'] = preg_replace( '!^/w/!', '/', $_SERVER['REQUEST_URI'] );
	chdir( $mediawiki );
	require "$mediawiki/{$match[1]}.php";
	return true;
}
if ( str_starts_with( $path, '/wiki/' ) ) {
	$_GET['title'] = $_REQUEST['title'] = urldecode( substr( $path, 6 ) );
	$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
	$_SERVER['SCRIPT_FILENAME'] = "$mediawiki/index.php";
	chdir( $mediawiki );
	require "$mediawiki/index.php";
	return true;
}
if ( preg_match( '!^/(resources|skins|extensions)/!', $path ) && is_file( $mediawiki . $path ) ) {
	return false;
}
http_response_code( 404 );
echo "There is no such page.\n";
return true;
