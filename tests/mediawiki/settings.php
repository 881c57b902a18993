
# ---- Added for tests. The folder may be copied: every path is taken from where this file lies. ----
$wgSQLiteDataDir = __DIR__;
$wgObjectCaches[CACHE_DB]['server']['dbDirectory'] = __DIR__;
$wgLocalisationCacheConf['storeServer']['dbDirectory'] = __DIR__;
$wgJobTypeConf['default']['server']['dbDirectory'] = __DIR__;
$wgCacheDirectory = __DIR__ . '/cache';
$wgUploadDirectory = __DIR__ . '/images';

$wgServer = 'http://127.0.0.1:' . ( getenv( 'WIKI_PORT' ) ?: '80' );
$wgCanonicalServer = $wgServer;
$wgArticlePath = '/wiki/$1';
$wgUsePathInfo = true;
$wgMainCacheType = CACHE_NONE;
$wgParserCacheType = CACHE_DB;
$wgMessageCacheType = CACHE_DB;
$wgSessionCacheType = CACHE_DB;
$wgJobRunRate = 0;
$wgEnableEmail = false;
$wgShowExceptionDetails = true;
$wgRateLimits = [];
$wgMaxArticleSize = 4096;
$wgExtraNamespaces[118] = 'Draft';
$wgExtraNamespaces[119] = 'Draft_talk';
wfLoadExtension( 'ParserFunctions' );
wfLoadExtension( 'Cite' );

# Levers: files beside this one that act at once.
$testLever = static function ( $name ) {
	$file = __DIR__ . '/levers/' . $name;
	return is_file( $file ) ? (float)file_get_contents( $file ) : null;
};
# The replication lag that `maxlag` is compared with, in seconds.
$wgHooks['ApiMaxLagInfo'][] = static function ( &$info ) use ( $testLever ) {
	$lag = $testLever( 'lag' );
	if ( $lag !== null ) {
		$info = [ 'host' => 'replica1', 'lag' => $lag, 'type' => 'db' ];
	}
};
# Where replies are cut, in bytes; 8 MiB unless told.
if ( $testLever( 'reply_bytes' ) !== null ) {
	$wgAPIMaxResultSize = (int)$testLever( 'reply_bytes' );
}
